import { once } from "node:events";
import { symlink, truncate } from "node:fs/promises";
import http from "node:http";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { POLICY_OF_FILES } from "#api/http/reply/file-policy";
import { apiFixture } from "../../support/api-fixture.ts";
import { runScenarios, type Scenario } from "../../support/scenarios/scenarios.ts";
import { createRun, refusalRows } from "../../support/run-rows.ts";
import { bodyOf, workspaceClient } from "../../support/workspace-client.ts";

const api = await apiFixture();
afterAll(() => api.close());
const ada = await api.makeUser();
const base = await api.listen();
const { at, put, get, folderOf } = workspaceClient(api, ada);

describe("GET workspace/{file_name}", async () => {
  const run = await createRun(api, ada, "down");
  const TEXT = "0123456789";
  for (const [name, content] of [
    ["dir/a.txt", TEXT],
    ["dir/b.txt", "b"],
    ["page.html", "<script>alert(1)</script>"],
    ["paper.pdf", "%PDF-1.4"],
    ["plot.PNG", "png"],
    ['été "1".txt', "é"],
    ["a%2Fb.txt", "percent"],
    ["star*.txt", "star"],
    ["empty", ""],
  ] as const) {
    await put(run, name, content);
  }
  const folder = await folderOf(run);
  await symlink("/etc/passwd", path.join(folder, "link"));
  const plain = { "content-type": "application/octet-stream", "x-content-type-options": "nosniff" };
  await runScenarios(api, [
    ...(await refusalRows(api, "GET", run, (address) => `/api/workflows/${address}/workspace/dir/a.txt`)),
    {
      name: "no such file",
      url: at(run, "/dir/none.txt"),
      status: 404,
      reply: "dir/none.txt does not exist.",
    },
    {
      name: "no such file, encoded",
      url: at(run, "/dir%2Fnone.txt"),
      status: 404,
      reply: "dir/none.txt does not exist.",
    },
    { name: "HEAD of no such file", method: "HEAD", url: at(run, "/none"), status: 404 },
    {
      name: "..",
      url: at(run, "/dir%2F..%2F..%2Fx"),
      status: 400,
      reply: "'..' is not a valid path component",
    },
    { name: "NUL", url: at(run, "/a%00b"), status: 400 },
    { name: "a link", url: at(run, "/link"), status: 400, reply: "Opening symlink 'link' is not allowed" },
    {
      name: "a pattern that nothing matches",
      url: at(run, "/*.root"),
      status: 404,
      reply: "*.root does not exist.",
    },
    { name: "preview that is no flag", url: at(run, "/dir/a.txt", "preview=perhaps"), status: 400 },
  ] satisfies Scenario[]);

  test.each([
    ["raw slashes", "dir/a.txt"],
    ["encoded slashes", "dir%2Fa.txt"],
    ["a leading slash", "/dir/a.txt"],
  ])("a file, with %s", async (_, name) => {
    const reply = await get(run, name, {}, "file_name=dir%2Fa.txt");
    expect([reply.statusCode, reply.body]).toEqual([200, TEXT]);
    expect(reply.headers).toMatchObject({
      ...plain,
      "content-disposition": 'attachment; filename="dir/a.txt"',
      "content-length": "10",
      "accept-ranges": "bytes",
      etag: expect.stringMatching(/^"[\w-]+"$/),
      "last-modified": expect.stringMatching(/GMT$/),
    });
  });

  test.each([
    [
      "%C3%A9t%C3%A9%20%221%22.txt",
      "é",
      `attachment; filename="ete \\"1\\".txt"; filename*=UTF-8''%C3%A9t%C3%A9%20%221%22.txt`,
    ],
    ["a%252Fb.txt", "percent", 'attachment; filename="a%2Fb.txt"'],
    ["star*.txt", "star", 'attachment; filename="star*.txt"'],
    ["d*/b.txt", "b", 'attachment; filename="dir/b.txt"'],
    ["empty", "", 'attachment; filename="empty"'],
  ])("the name %s", async (name, content, disposition) => {
    const reply = await get(run, name);
    expect([reply.statusCode, reply.body]).toEqual([200, content]);
    expect(reply.headers["content-disposition"]).toBe(disposition);
  });

  test.each([
    ["bytes=2-4", 206, "234", "bytes 2-4/10"],
    ["bytes=7-", 206, "789", "bytes 7-9/10"],
    ["bytes=-3", 206, "789", "bytes 7-9/10"],
    ["bytes=0-0,5-6", 200, TEXT, undefined],
    ["lines=1-2", 200, TEXT, undefined],
  ])("Range: %s", async (range, status, content, contentRange) => {
    const reply = await get(run, "dir/a.txt", { range });
    expect([reply.statusCode, reply.body, reply.headers["content-range"]]).toEqual([
      status,
      content,
      contentRange,
    ]);
    expect(reply.headers["content-length"]).toBe(String(content.length));
  });

  test.each(["bytes=10-", "bytes=-0"])("Range: %s is outside the file", async (range) => {
    const reply = await get(run, "dir/a.txt", { range });
    expect(reply.statusCode).toBe(416);
    expect(reply.headers).toMatchObject({
      "content-range": "bytes */10",
      "content-type": "application/json; charset=utf-8",
    });
    expect(reply.json()).toEqual({
      message: `dir/a.txt has 10 bytes, and none of them are in the range ${range}.`,
      code: "range-not-satisfiable",
    });
  });

  test("conditions: an unchanged file is not sent again, and a range is only sent of the file that it was taken from", async () => {
    const etag = String((await get(run, "dir/a.txt")).headers["etag"]);
    const unchanged = await get(run, "dir/a.txt", { "if-none-match": `"other", ${etag}` });
    expect([unchanged.statusCode, unchanged.body, unchanged.headers["etag"]]).toEqual([304, "", etag]);
    expect((await get(run, "dir/a.txt", { range: "bytes=0-1", "if-range": etag })).body).toBe("01");
    await put(run, "dir/a.txt", TEXT);
    expect((await get(run, "dir/a.txt", { "if-none-match": etag })).statusCode).toBe(200);
    expect((await get(run, "dir/a.txt", { range: "bytes=0-1", "if-range": etag })).body).toBe(TEXT);
  });

  test("HEAD has the headers of GET, and no body", async () => {
    const [head, whole] = await Promise.all([
      api.inject({ method: "HEAD", url: at(run, "/dir/a.txt") }),
      get(run, "dir/a.txt"),
    ]);
    const { date: _, ...expected } = whole.headers;
    expect([head.statusCode, head.body, head.headers]).toMatchObject([200, "", expected]);
    const range = await api.inject({
      method: "HEAD",
      url: at(run, "/dir/a.txt"),
      headers: { range: "bytes=1-2" },
    });
    expect([range.statusCode, range.headers["content-length"]]).toEqual([206, "2"]);
    const zip = await api.inject({ method: "HEAD", url: at(run, "/dir") });
    expect([zip.statusCode, zip.headers["content-type"]]).toEqual([200, "application/zip"]);
  });

  test.each([
    ["page.html", "text/html; charset=utf-8", "inline", POLICY_OF_FILES],
    ["plot.PNG", "image/png", "inline", POLICY_OF_FILES],
    ["paper.pdf", "application/pdf", "inline", "frame-ancestors 'self'"],
    ["dir/a.txt", "application/octet-stream", "attachment", POLICY_OF_FILES],
  ])("a preview of %s is %s", async (name, type, disposition, policy) => {
    const reply = await get(run, name, {}, "preview=true");
    expect(reply.headers).toMatchObject({
      "content-type": type,
      "content-disposition": `${disposition}; filename="${name}"`,
      "content-security-policy": policy,
      "x-content-type-options": "nosniff",
    });
    const saved = await get(run, name);
    expect(saved.headers).toMatchObject({ ...plain, "content-security-policy": POLICY_OF_FILES });
  });

  test("a preview loads nothing, not even a picture of another server", () => {
    expect(POLICY_OF_FILES).toBe(
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:",
    );
  });

  test.each([
    ["dir", "dir", ["dir/a.txt", "dir/b.txt"]],
    ["dir%2F", "dir", ["dir/a.txt", "dir/b.txt"]],
    ["dir%2F*", "*", ["dir/a.txt", "dir/b.txt"]],
    ["**/*.txt", "*.txt", ["dir/a.txt", "dir/b.txt", "star*.txt"]],
    ["**/b*", "", []],
  ])("%s as a zip", async (pattern, label, names) => {
    const reply = await get(run, pattern);
    expect(reply.statusCode).toBe(200);
    if (names.length === 0) return expect(reply.body).toBe("b");
    expect(reply.headers["content-type"]).toBe("application/zip");
    const file = new RegExp(
      `^attachment; filename="download_down\\.1_${label.replace("*", "\\*")}_\\d{4}-\\d\\d-\\d\\d-\\d{6}\\.zip"$`,
    );
    expect(reply.headers["content-disposition"]).toMatch(file);
    for (const name of names) expect(reply.rawPayload.includes(name)).toBe(true);
    expect(reply.rawPayload.subarray(0, 2).toString()).toBe("PK");
  });

  test("a pattern takes files and no folders; one file comes as itself", async () => {
    const shallow = await createRun(api, ada, "shallow");
    for (const name of ["only.txt", "dir/a.txt", "dir/b.txt"]) await put(shallow, name, name);
    expect((await get(shallow, "*")).body).toBe("only.txt");
    expect((await get(shallow, "d*")).statusCode).toBe(404);
    expect((await get(shallow, "dir")).headers["content-type"]).toBe("application/zip");
  });

  test("a file that shrinks while it is read breaks the download off", async () => {
    const size = 64 * 1024 * 1024;
    await put(run, "shrinks", "x");
    const file = path.join(await folderOf(run), "shrinks");
    await truncate(file, size);
    const request = http.get(base + at(run, "/shrinks"));
    const [response] = (await once(request, "response")) as [http.IncomingMessage];
    await truncate(file, 1000);
    await expect(bodyOf(response)).rejects.toThrow(/aborted|terminated|socket hang up/);
  });
});
