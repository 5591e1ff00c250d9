import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, symlink } from "node:fs/promises";
import { once } from "node:events";
import http from "node:http";
import path from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, describe, expect, test } from "vitest";
import { apiFixture } from "../../support/api-fixture.ts";
import { runScenarios, type Scenario } from "../../support/scenarios/scenarios.ts";
import { changeStatus, createRun, refusalRows, T } from "../../support/run-rows.ts";
import { bodyOf, workspaceClient } from "../../support/workspace-client.ts";
import { withVerbs } from "../../support/fakes/with-verbs.ts";

const api = await apiFixture();
afterAll(() => api.close());
const ada = await api.makeUser();
const base = await api.listen();
const { at, put, get, folderOf } = workspaceClient(api, ada);
const uploaded = (name: string) => `${name} has been successfully uploaded.`;

function form(...parts: readonly (readonly [name: string, content: string, fileName?: string])[]) {
  const bodies = parts.map(([name, content, fileName]) => {
    const file = fileName === undefined ? "" : `; filename="${fileName}"`;
    return `--b\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${content}\r\n`;
  });
  return {
    headers: { "content-type": "multipart/form-data; boundary=b" },
    body: `${bodies.join("")}--b--\r\n`,
  };
}

describe("POST workspace", async () => {
  const run = await createRun(api, ada, "up");
  const post = (name: string) => ({ method: "POST" as const, url: at(run, "", `file_name=${name}`) });
  await put(run, "dir/file.txt", "old");
  await symlink("/etc", path.join(await folderOf(run), "link"));
  await runScenarios(api, [
    ...(await refusalRows(api, "POST", run, (address) => `/api/workflows/${address}/workspace?file_name=a`)),
    {
      name: "no file_name",
      method: "POST",
      url: at(run, ""),
      body: "x",
      status: 400,
      reply: "No file_name provided",
    },
    { name: "an empty file_name", ...post(""), body: "x", status: 400, reply: "No file_name provided" },
    { name: "nothing but slashes", ...post("//"), body: "x", status: 400, reply: "No file_name provided" },
    { name: "..", ...post("a/../b"), body: "x", status: 400, reply: "'..' is not a valid path component" },
    { name: "NUL", ...post("a%00b"), body: "x", status: 400 },
    {
      name: "through a link",
      ...post("link/passwd"),
      body: "x",
      status: 400,
      reply: "Opening symlink 'link' is not allowed",
    },
    {
      name: "onto a link",
      ...post("link"),
      body: "x",
      status: 400,
      reply: "Opening symlink 'link' is not allowed",
    },
    {
      name: "onto a directory",
      ...post("dir"),
      body: "x",
      status: 400,
      reply: "A directory named 'dir' is in the way.",
    },
    { name: "into a file", ...post("dir/file.txt/x"), body: "x", status: 400 },
    { name: "two names", ...post("a&file_name=b"), body: "x", status: 400 },
    { name: "a form without a file", ...post("f"), ...form(["note", "no"]), status: 400 },
    {
      name: "a form that is cut short",
      ...post("f"),
      ...form(["file_content", "half", "a"]),
      body: "--b\r\nCon",
      status: 400,
    },
    {
      name: "raw bytes",
      ...post("a/b.txt"),
      body: "hello",
      headers: { "content-type": "application/octet-stream" },
      status: 200,
      reply: uploaded("a/b.txt"),
    },
    {
      name: "with a leading slash",
      ...post("/code/x.py"),
      body: "x",
      status: 200,
      reply: uploaded("/code/x.py"),
    },
    {
      name: "in the place of a file",
      ...post("dir/file.txt"),
      body: "new",
      status: 200,
      reply: uploaded("dir/file.txt"),
    },
    { name: "no bytes", ...post("empty"), status: 200, reply: uploaded("empty") },
    {
      name: "invalid JSON",
      ...post("x.json"),
      body: "{",
      headers: { "content-type": "application/json" },
      status: 200,
      reply: uploaded("x.json"),
    },
    {
      name: "an invalid content type",
      ...post("odd"),
      body: "odd",
      headers: { "content-type": "odd" },
      status: 200,
      reply: uploaded("odd"),
    },
    {
      name: "a form",
      ...post("form.txt"),
      ...form(["file_content", "in a form", "a.txt"]),
      status: 200,
      reply: uploaded("form.txt"),
    },
    {
      name: "a form with another name",
      ...post("other.txt"),
      ...form(["upload", "other", "a.txt"]),
      status: 200,
      reply: uploaded("other.txt"),
    },
    {
      name: "a name of many letters",
      ...post("%C3%A9t%C3%A9%20%2B%20%23.txt"),
      body: "été",
      status: 200,
      reply: uploaded("été + #.txt"),
    },
    {
      name: "a name that every object knows",
      ...post("__proto__"),
      body: "x",
      status: 200,
      reply: uploaded("__proto__"),
    },
  ] satisfies Scenario[]);

  test("accepted files are stored as sent, and refused files are not", async () => {
    const reply = await api.inject({ url: at(run, "") });
    const { items } = reply.json<{ items: { name: string; size: { raw: number } }[] }>();
    expect(items.map(({ name, size }) => `${name} ${size.raw}`)).toEqual([
      "__proto__ 1",
      "a/b.txt 5",
      "code/x.py 1",
      "dir/file.txt 3",
      "empty 0",
      "form.txt 9",
      expect.stringMatching(/^link /),
      "odd 3",
      "other.txt 5",
      "x.json 1",
      "été + #.txt 5",
    ]);
    expect((await get(run, "form.txt")).body).toBe("in a form");
    expect((await get(run, "dir/file.txt")).body).toBe("new");
  });

  test("concurrent uploads of a name leave a single whole file", async () => {
    const contents = Array.from({ length: 8 }, (_, index) => Buffer.alloc(300_000, `${index}`));
    const replies = await Promise.all(contents.map((content) => put(run, "race.bin", content)));
    expect(replies.map((reply) => reply.statusCode)).toEqual(Array(8).fill(200));
    const left = (await get(run, "race.bin")).rawPayload;
    expect(contents.some((content) => content.equals(left))).toBe(true);
  });
});

describe("an upload over a real connection", async () => {
  const run = await createRun(api, ada, "net");

  const begin = (name: string, headers: http.OutgoingHttpHeaders = {}) => {
    const request = http.request(base + at(run, "", `file_name=${name}`), { method: "POST", headers });
    return { request, answered: once(request, "response") as Promise<[http.IncomingMessage]> };
  };

  test("goes up and down unchanged, with and without a length", async () => {
    const content = Buffer.from(Array.from({ length: 3_000_001 }, (_, index) => (index * 7919) % 251));
    for (const headers of [{ "content-length": content.length }, {}]) {
      const { request, answered } = begin("big.bin", headers);
      Readable.from(chunksOf(content, 100_003)).pipe(request);
      const [response] = await answered;
      expect([response.statusCode, String(await bodyOf(response))]).toEqual([
        200,
        `{"message":"${uploaded("big.bin")}"}`,
      ]);
      const [download] = (await once(http.get(base + at(run, "/big.bin")), "response")) as [
        http.IncomingMessage,
      ];
      expect(hash(await bodyOf(download))).toBe(hash(content));
    }
  });

  test("goes up in a form", async () => {
    const body = new FormData();
    body.append("note", "small");
    body.append("file_content", new Blob([Buffer.alloc(2_000_000, "form")]), "a.bin");
    const reply = await fetch(base + at(run, "", "file_name=form.bin"), { method: "POST", body });
    expect([reply.status, await reply.json()]).toEqual([200, { message: uploaded("form.bin") }]);
    expect((await get(run, "form.bin")).rawPayload.equals(Buffer.alloc(2_000_000, "form"))).toBe(true);
  });

  test("that fails by a fault of the server is not blamed on the client", async () => {
    const workspaces = withVerbs(api.operations.workspaces, () => ({
      async write(_name, content) {
        await buffer(content);
        throw new Error("boom");
      },
    }));
    const broken = await apiFixture({ parts: { workspaces } });
    const eve = await broken.makeUser();
    const its = await createRun(broken, eve, "broken");
    const url = `${await broken.listen()}/api/workflows/${its.id}/workspace?file_name=a&${T(eve)}`;
    const reply = await fetch(url, { method: "POST", body: "content" });
    expect([reply.status, await reply.json()]).toEqual([
      500,
      { message: expect.stringMatching(/under the id/), code: "server-fault" },
    ]);
    expect(broken.logged.join("")).toContain("boom");
    await broken.close();
  });

  test("that is broken off keeps the earlier file", async () => {
    const incoming = path.join(await folderOf(run), "..", "..", "incoming");
    await put(run, "kept.txt", "before");
    for (const headers of [
      { "content-length": 1000 },
      {},
      { "content-type": "multipart/form-data; boundary=b" },
    ] as http.OutgoingHttpHeaders[]) {
      const { request, answered } = begin("kept.txt", headers);
      answered.catch(() => undefined); // the connection is ours to break
      request.on("error", () => undefined);
      request.write('--b\r\nContent-Disposition: form-data; name="file_content"; filename="a"\r\n\r\nhalf');
      await untilTrue(async () => (await readdir(incoming)).length > 0);
      request.destroy();
      await untilTrue(async () => (await readdir(incoming)).length === 0);
      expect((await get(run, "kept.txt")).body).toBe("before");
    }
    expect(api.logged.filter((line) => line.includes("a request failed"))).toEqual([]);
  });

  test("a refused upload gets the reply during the sending of the body", async () => {
    await put(run, "dir/x", "x");
    for (const headers of [
      {},
      { "content-type": "multipart/form-data; boundary=b" },
    ] as http.OutgoingHttpHeaders[]) {
      const { request, answered } = begin("dir", headers);
      if ("content-type" in headers) {
        request.write('--b\r\nContent-Disposition: form-data; name="file_content"; filename="a"\r\n\r\n');
      }
      for (let sent = 0; sent < 40; sent += 1) request.write(Buffer.alloc(100_000));
      const [response] = await answered;
      expect(response.statusCode).toBe(400);
      expect(JSON.parse(String(await bodyOf(response)))).toEqual({
        message: "A directory named 'dir' is in the way.",
        code: "malformed",
      });
      request.destroy();
    }
  });

  test("into a run deleted during the upload leaves no file", async () => {
    const doomed = await createRun(api, ada, "doomed");
    const request = http.request(base + at(doomed, "", "file_name=a.txt"), { method: "POST" });
    const answered = once(request, "response") as Promise<[http.IncomingMessage]>;
    request.write("first half");
    const folder = await folderOf(doomed);
    await untilTrue(() => existsSync(folder));
    await changeStatus(api, ada, doomed.id, "deleted");
    request.end("second half");
    const [response] = await answered;
    expect(response.statusCode).toBeGreaterThanOrEqual(400);
    expect(JSON.parse(String(await bodyOf(response)))).toEqual({
      message: expect.any(String),
      code: expect.any(String),
    });
    expect(existsSync(folder)).toBe(false);
  });
});

function hash(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

function* chunksOf(content: Buffer, size: number): Generator<Buffer> {
  for (let start = 0; start < content.length; start += size) yield content.subarray(start, start + size);
}

async function untilTrue(is: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await is())) await new Promise((resolve) => setImmediate(resolve));
}
