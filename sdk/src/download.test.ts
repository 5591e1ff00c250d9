import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, readdir, readFile, rm, rmdir, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { downloadFile } from "./download.ts";
import { connect } from "./index.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "reprise-download-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A server with one file and a counter of sent bytes. */
function serving(content: string, etag: string) {
  const sent = { bytes: 0, requests: 0 };
  const client = connect({
    url: "http://reprise.test",
    fetch(request) {
      sent.requests += 1;
      const range = /^bytes=(\d+)-$/.exec(request.headers.get("range") ?? "");
      const bytes = new TextEncoder().encode(content.slice(Number(range?.[1] ?? 0)));
      const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
        {
          pull(controller) {
            sent.bytes += bytes.length;
            controller.enqueue(bytes);
            controller.close();
          },
        },
        { highWaterMark: 0 },
      );
      const headers = { etag, "content-length": String(bytes.length) };
      return Promise.resolve(new Response(body, { status: range ? 206 : 200, headers }));
    },
  });
  return { client, sent };
}

/** Leaves the partial file of a download that could not be renamed, since a folder has the name. */
async function receiveWithoutName(content: string, etag: string): Promise<string> {
  const target = path.join(folder, "plot.png");
  await mkdir(path.join(target, "in the way"), { recursive: true });
  const { client } = serving(content, etag);
  await expect(downloadFile(client, { workflow: "fit.1", name: "plot.png", target })).rejects.toThrow();
  await rmdir(path.join(target, "in the way"));
  await rmdir(target);
  return target;
}

test("a complete partial file gets the final name without another transfer", async () => {
  const target = await receiveWithoutName("a picture", '"1"');
  const { client, sent } = serving("a picture", '"1"');
  expect(await downloadFile(client, { workflow: "fit.1", name: "plot.png", target })).toBe(9);
  expect(sent).toEqual({ bytes: 0, requests: 1 });
  expect(await readFile(target, "utf8")).toBe("a picture");
  expect(await readdir(folder)).toEqual(["plot.png"]);
});

test("a partial file of another version is not used", async () => {
  const target = await receiveWithoutName("a picture", '"1"');
  const { client, sent } = serving("b picture", '"2"');
  await downloadFile(client, { workflow: "fit.1", name: "plot.png", target });
  expect(sent).toEqual({ bytes: 9, requests: 1 });
  expect(await readFile(target, "utf8")).toBe("b picture");
});

test("only the rest of a partial file is transferred", async () => {
  const target = await receiveWithoutName("a picture", '"1"');
  const [part] = await readdir(folder);
  await writeFile(path.join(folder, part!), "a pic");
  const { client, sent } = serving("a picture", '"1"');
  expect(await downloadFile(client, { workflow: "fit.1", name: "plot.png", target })).toBe(9);
  expect(sent).toEqual({ bytes: 4, requests: 2 });
  expect(await readFile(target, "utf8")).toBe("a picture");
});

test("a partial file that is longer than the server's file is replaced", async () => {
  const target = await receiveWithoutName("a picture", '"1"');
  const [part] = await readdir(folder);
  await writeFile(path.join(folder, part!), "a picture and more");
  const { client } = serving("a picture", '"1"');
  expect(await downloadFile(client, { workflow: "fit.1", name: "plot.png", target })).toBe(9);
  expect(await readFile(target, "utf8")).toBe("a picture");
});

test("a link in the place of a partial file is not written through", async () => {
  const target = await receiveWithoutName("a picture", '"1"');
  const [part] = await readdir(folder);
  await writeFile(path.join(folder, "key"), "private");
  for (const content of ["a pic", ""]) {
    await writeFile(path.join(folder, "other"), content);
    await rm(path.join(folder, part!), { force: true });
    await symlink(content === "" ? "key" : "other", path.join(folder, part!));
    const { client } = serving("a picture", '"1"');
    await downloadFile(client, { workflow: "fit.1", name: "plot.png", target });
    expect(await readFile(target, "utf8")).toBe("a picture");
    expect(await readFile(path.join(folder, "other"), "utf8")).toBe(content);
  }
  expect(await readFile(path.join(folder, "key"), "utf8")).toBe("private");
});
