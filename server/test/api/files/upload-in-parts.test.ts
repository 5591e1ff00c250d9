import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, readdir, readFile, rm, symlink, utimes } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "#plumbing/clock";
import { openUploads } from "#workspace/write/uploads";
import { apiFixture } from "../../support/api-fixture.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";
import { type CreatedRun, createRun, refusalRows, T } from "../../support/run-rows.ts";
import { workspaceClient } from "../../support/workspace-client.ts";

const api = await apiFixture();
const base = await api.listen();
const ada = await api.makeUser();
const { folderOf } = workspaceClient(api, ada);
afterAll(() => api.close());

let run: CreatedRun;
let folder: string;
/** The folder of incomplete uploads. */
let uploads: string;

beforeEach(async () => {
  run = await createRun(api, ada, "parts");
  folder = await folderOf(run);
  uploads = path.join(folder, "..", "..", "uploads");
});

const CONTENT = "0123456789abcdef";
const shaOf = (content: string) => createHash("sha256").update(content).digest("hex");

async function ask(method: "GET" | "POST" | "PUT" | "DELETE", route: string, payload?: object | string) {
  const url = `/api/workflows/${run.id}/uploads${route}${route.includes("?") ? "&" : "?"}${T(ada)}`;
  const reply = await api.inject({ method, url, ...(payload !== undefined && { payload }) });
  return { status: reply.statusCode, body: reply.json<Record<string, unknown>>() };
}
const announce = (name = "dir/file.txt", content = CONTENT) =>
  ask("POST", "", { file_name: name, size: content.length, sha256: shaOf(content) });
const begin = async (name?: string, content?: string) =>
  String((await announce(name, content)).body["upload_id"]);
const send = (id: string, offset: number, content: string) => ask("PUT", `/${id}?offset=${offset}`, content);
const complete = (id: string) => ask("POST", `/${id}/complete`);
const stored = (name = "dir/file.txt") => readFile(path.join(folder, name), "utf8");

describe("refused", async () => {
  const rows = await createRun(api, ada, "rows");
  const announced = { file_name: "a", size: 1, sha256: shaOf("a") };
  const refusals = await refusalRows(api, "POST", rows, (address) => `/api/workflows/${address}/uploads`);
  await runScenarios(
    api,
    refusals.map((row) => ({ ...row, body: announced })),
  );

  test.each([
    ["no body", undefined],
    ["no checksum", { file_name: "a", size: 1 }],
    ["what is no checksum", { file_name: "a", size: 1, sha256: "../../etc/passwd" }],
    ["a negative size", { file_name: "a", size: -1, sha256: shaOf("") }],
    ["a name that leads outside", { file_name: "../a", size: 1, sha256: shaOf("") }],
    ["a name with a NUL", { file_name: "a\0", size: 1, sha256: shaOf("") }],
  ])("%s", async (_name, body) => {
    expect((await ask("POST", "", body)).status).toBe(400);
  });

  test("through a link that a job has made", async () => {
    await mkdir(folder, { recursive: true });
    await symlink("/tmp", path.join(folder, "link"));
    expect(await announce("link/a.txt")).toEqual({
      status: 400,
      body: { message: "Opening symlink 'link' is not allowed", code: "malformed" },
    });
    const id = await begin("later/a.txt");
    await send(id, 0, CONTENT);
    await symlink("/tmp", path.join(folder, "later"));
    expect((await complete(id)).status).toBe(400);
    // Once the obstacle is gone, nothing has to be sent again.
    await rm(path.join(folder, "later"));
    expect((await complete(id)).status).toBe(200);
    expect(await stored("later/a.txt")).toBe(CONTENT);
  });

  test.each(["..%2F..%2Fsecret", "no-uuid", "00000000-0000-4000-8000-000000000000"])(
    "no upload: %s",
    async (id) => {
      expect((await ask("GET", `/${id}`)).status).toBe(404);
      expect((await send(id, 0, "x")).status).toBe(404);
      expect((await complete(id)).status).toBe(404);
    },
  );

  test("the upload of another workflow", async () => {
    const id = await begin();
    run = await createRun(api, ada, "other");
    expect((await ask("GET", `/${id}`)).status).toBe(404);
    expect((await send(id, 0, "x")).status).toBe(404);
  });

  test("too much, and too far on", async () => {
    const id = await begin();
    await send(id, 0, "0123");
    expect((await send(id, 5, "5")).body["message"]).toContain(
      "because 4 bytes have arrived. Continue there.",
    );
    expect((await send(id, 4, CONTENT)).status).toBe(400);
    expect((await ask("GET", `/${id}`)).body["offset"]).toBe(4);
  });

  test("a completion before all bytes have arrived, and one of another file", async () => {
    const id = await begin();
    await send(id, 0, "0123");
    expect(await complete(id)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining("4 of 16 bytes"), code: "upload-incomplete" },
    });
    await send(id, 4, "x".repeat(12));
    expect(await complete(id)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining("checksum"), code: "checksum-mismatch" },
    });
    expect((await ask("GET", `/${id}`)).body["offset"]).toBe(0);
    await expect(stored()).rejects.toThrow("ENOENT");
  });
});

describe("a file in parts", () => {
  test("is nowhere in the workspace until it is whole, then at once", async () => {
    const { status, body } = await announce();
    const id = String(body["upload_id"]);
    expect([status, body]).toEqual([
      201,
      { upload_id: id, file_name: "dir/file.txt", size: 16, offset: 0, expires_at: expect.any(String) },
    ]);
    expect((await send(id, 0, "0123")).body["offset"]).toBe(4);
    expect((await send(id, 4, "456789abcdef")).body["offset"]).toBe(16);
    await expect(readdir(folder)).rejects.toThrow("ENOENT");
    expect(await complete(id)).toEqual({
      status: 200,
      body: { message: "dir/file.txt has been successfully uploaded." },
    });
    expect(await stored()).toBe(CONTENT);
  });

  test("parts received twice count once, and so does the end", async () => {
    const id = await begin();
    await send(id, 0, "01234567");
    expect((await send(id, 0, "01234567")).body["offset"]).toBe(8);
    expect((await send(id, 4, "456789abcdef")).body["offset"]).toBe(16);
    expect([(await complete(id)).status, (await complete(id)).status]).toEqual([200, 200]);
    expect(await stored()).toBe(CONTENT);
  });

  test("is resumed by another announcement; after the end the upload starts again", async () => {
    const id = await begin();
    await send(id, 0, "0123");
    expect((await announce()).body).toMatchObject({ upload_id: id, offset: 4 });
    await send(id, 4, CONTENT.slice(4));
    await complete(id);
    await rm(path.join(folder, "dir/file.txt"));
    expect((await announce()).body).toMatchObject({ upload_id: id, offset: 0 });
    await send(id, 0, CONTENT);
    await complete(id);
    expect(await stored()).toBe(CONTENT);
  });

  test("of no bytes", async () => {
    const id = await begin("empty", "");
    expect((await complete(id)).status).toBe(200);
    expect(await stored("empty")).toBe("");
  });

  test("a broken connection keeps the bytes that arrived", async () => {
    const id = await begin();
    const socket = net.connect(Number(new URL(base).port), "127.0.0.1");
    socket.write(
      `PUT /api/workflows/${run.id}/uploads/${id}?offset=0&${T(ada)} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 16\r\n\r\n01234`,
    );
    await expect.poll(async () => (await ask("GET", `/${id}`)).body["offset"]).toBe(5);
    socket.destroy();
    await once(socket, "close");
    expect((await send(id, 5, CONTENT.slice(5))).body["offset"]).toBe(16);
    expect((await complete(id)).status).toBe(200);
    expect(await stored()).toBe(CONTENT);
  });

  test("a later part ends an earlier one whose connection only looks alive", async () => {
    const id = await begin();
    const socket = net.connect(Number(new URL(base).port), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(
      `PUT /api/workflows/${run.id}/uploads/${id}?offset=0&${T(ada)} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 16\r\n\r\n01234`,
    );
    await expect.poll(async () => (await ask("GET", `/${id}`)).body["offset"]).toBe(5);
    expect((await send(id, 0, CONTENT)).body["offset"]).toBe(16);
    expect((await complete(id)).status).toBe(200);
    expect(await stored()).toBe(CONTENT);
    socket.destroy();
  });

  test("can be abandoned", async () => {
    const id = await begin();
    expect((await ask("DELETE", `/${id}`)).status).toBe(200);
    expect((await ask("GET", `/${id}`)).status).toBe(404);
  });
});

test("a server that died during the publication continues to the end", async () => {
  const own = openUploads({ folder: uploads, clock: systemClock, fsync: true });
  const wanted = { runId: "w", name: "a", bytes: 1, sha256: shaOf("a"), isExecutable: false };
  const { id } = await own.begin(wanted);
  await own.append("w", id, { offset: 0, content: Readable.from([Buffer.from("a")]) });
  const published: string[] = [];
  const died = own.complete("w", id, async (file) => {
    published.push(await readFile(file, "utf8"));
    await rm(file);
    throw new Error("killed");
  });
  await expect(died).rejects.toThrow("killed");
  expect(await own.complete("w", id, async () => void published.push("again"))).toMatchObject({ name: "a" });
  expect(published).toEqual(["a"]);
});

test("an upload without a new part for a day is removed", async () => {
  const [old, young] = [await begin("old"), await begin("young")];
  const longAgo = new Date(Date.now() - 25 * 3_600_000);
  for (const file of ["part", "session.json", ""])
    await utimes(path.join(uploads, old, file), longAgo, longAgo);
  await begin("another");
  expect((await ask("GET", `/${old}`)).status).toBe(404);
  expect((await ask("GET", `/${young}`)).status).toBe(200);
  expect(await readdir(uploads)).not.toContain(old);
});
