import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { apiFixture } from "../../support/api-fixture.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";
import { type CreatedRun, createRun, refusalRows, T } from "../../support/run-rows.ts";
import { workspaceClient } from "../../support/workspace-client.ts";

const api = await apiFixture();
afterAll(() => api.close());
const ada = await api.makeUser();
const { at, put, folderOf } = workspaceClient(api, ada);

let run: CreatedRun;
let folder: string;
/** A private file next to the workspaces. */
let outside: string;

beforeEach(async () => {
  run = await createRun(api, ada, "files");
  for (const name of ["a.txt", "b.txt", "dir/c.txt", "dir/deep/d.txt", "star*.txt", "__proto__"]) {
    await put(run, name, `content of ${name}`);
  }
  folder = await folderOf(run);
  outside = path.join(folder, "..", `outside-${run.id}`);
  await mkdir(outside);
  await writeFile(path.join(outside, "secret"), "secret");
});

const remove = async (file: string) => {
  const reply = await api.inject({ method: "DELETE", url: at(run, `/${file}`) });
  return { status: reply.statusCode, body: reply.json<Record<string, unknown>>() };
};
const move = async (source: string, target: string) => {
  const query = new URLSearchParams({ source, target }).toString();
  const url = `/api/workflows/move_files/${run.id}?${query}&${T(ada)}`;
  const reply = await api.inject({ method: "PUT", url });
  return { status: reply.statusCode, body: reply.json<Record<string, unknown>>() };
};
/** A folder in which a job may have put a link. */
const link = (target: string, name: string) => symlink(target, path.join(folder, name));
const isThere = (name: string) => existsSync(path.join(folder, name));
const isUntouched = () => readFileSync(path.join(outside, "secret"), "utf8") === "secret";

describe("DELETE workspace/{file_name}", async () => {
  const rows = await createRun(api, ada, "rows");
  const url = (address: string) => `/api/workflows/${address}/workspace/a.txt`;
  await runScenarios(api, [
    ...(await refusalRows(api, "DELETE", rows, url)),
    {
      name: "nothing matches",
      method: "DELETE",
      url: at(rows, "/no*"),
      status: 200,
      reply: { deleted: {}, failed: {} },
    },
  ]);

  test("a file, with the size", async () => {
    expect((await remove("dir%2Fc.txt")).body).toEqual({
      deleted: { "dir/c.txt": { size: 20 } },
      failed: {},
    });
    expect(isThere("dir/c.txt")).toBe(false);
    expect(isThere("dir/deep/d.txt")).toBe(true);
  });

  test("a file whose name has a line feed", async () => {
    await writeFile(path.join(folder, "x\ny.txt"), "x");
    expect((await remove("x%0Ay.txt")).body).toEqual({ deleted: { "x\ny.txt": { size: 1 } }, failed: {} });
    expect(isThere("x\ny.txt")).toBe(false);
  });

  test("a folder with all contents, each entry by path and with the size", async () => {
    const { deleted, failed } = (await remove("dir/")).body as Record<string, Record<string, unknown>>;
    expect(deleted).toEqual({
      dir: { size: expect.any(Number) },
      "dir/c.txt": { size: 20 },
      "dir/deep": { size: expect.any(Number) },
      "dir/deep/d.txt": { size: 25 },
    });
    expect(failed).toEqual({});
    expect(isThere("dir")).toBe(false);
    expect(await readdir(path.join(folder, "..", "..", "incoming"))).toEqual([]);
  });

  test("the files that a pattern matches", async () => {
    expect(Object.keys((await remove("%2A%2A/*.txt")).body["deleted"] as object)).toEqual([
      "a.txt",
      "b.txt",
      "dir/c.txt",
      "dir/deep/d.txt",
      "star*.txt",
    ]);
    expect(isThere("dir/deep")).toBe(true);
  });

  test("a pattern takes files, links and empty folders; a folder that holds something stays", async () => {
    await link(outside, "dir/link");
    await mkdir(path.join(folder, "dir/empty"));
    const { deleted, failed } = (await remove("dir/*")).body as Record<string, object>;
    expect(Object.keys(deleted!)).toEqual(["dir/c.txt", "dir/empty", "dir/link"]);
    expect(failed).toEqual({ "dir/deep": { error: "Directory not empty" } });
    expect(await readdir(path.join(folder, "dir"))).toEqual(["deep"]);
    expect(isUntouched()).toBe(true);
  });

  test("deletes everything, each folder after its contents", async () => {
    expect((await remove("**")).body["failed"]).toEqual({});
    expect(await readdir(folder)).toEqual([]);
  });

  test("deletes a file named like a pattern, and a file named like a property of JavaScript", async () => {
    expect((await remove("star*.txt")).body["deleted"]).toEqual({ "star*.txt": { size: 20 } });
    expect((await api.inject({ method: "DELETE", url: at(run, "/__proto__") })).body).toContain(
      '"__proto__"',
    );
    expect(isThere("__proto__")).toBe(false);
  });

  test.each(["dir%2F..%2F..%2Fx", "..%2Foutside", "a%00b"])("refused: %s", async (file) => {
    expect((await remove(file)).status).toBe(403);
  });

  test("a link is deleted and the target stays; no file is deleted through a link", async () => {
    await link(outside, "link");
    expect((await remove("link%2Fsecret")).body).toEqual({ deleted: {}, failed: {} });
    expect((await remove("link%2F*")).body).toEqual({ deleted: {}, failed: {} });
    expect(Object.keys((await remove("link")).body["deleted"] as object)).toEqual(["link"]);
    expect(isThere("link")).toBe(false);
    expect(isUntouched()).toBe(true);
  });

  test("a folder with links leaves the targets of the links", async () => {
    await link(outside, "dir/link");
    await remove("dir");
    expect(isThere("dir")).toBe(false);
    expect(isUntouched()).toBe(true);
  });
});

describe("PUT move_files", async () => {
  const rows = await createRun(api, ada, "rows");
  const url = (address: string) => `/api/workflows/move_files/${address}?source=a&target=b`;
  await runScenarios(api, [
    ...(await refusalRows(api, "PUT", rows, url)),
    {
      name: "without a target",
      method: "PUT",
      url: `/api/workflows/move_files/${rows.id}?source=a&${T(ada)}`,
      status: 400,
    },
    {
      name: "what is not there",
      method: "PUT",
      url: `${url(rows.id)}&${T(ada)}`,
      status: 409,
      reply: "Something went wrong:\n there is no a in the workspace.",
    },
  ]);

  test("to a new name, in a folder that is made", async () => {
    expect(await move("a.txt", "new/z.txt")).toEqual({
      status: 200,
      body: {
        message: "File(s) a.txt were successfully moved",
        workflow_id: run.id,
        workflow_name: run.name,
      },
    });
    expect(readFileSync(path.join(folder, "new/z.txt"), "utf8")).toBe("content of a.txt");
    expect(isThere("a.txt")).toBe(false);
  });

  test("in the place of a file", async () => {
    await move("a.txt", "b.txt");
    expect(readFileSync(path.join(folder, "b.txt"), "utf8")).toBe("content of a.txt");
  });

  test("into a folder, a folder too, and to the top", async () => {
    expect((await move("a.txt", "dir/")).status).toBe(200);
    expect(isThere("dir/a.txt")).toBe(true);
    await move("dir", "target");
    expect(isThere("target/deep/d.txt")).toBe(true);
    await move("target/deep", ".");
    expect(isThere("deep/d.txt")).toBe(true);
  });

  test("several into a folder, and into nothing else", async () => {
    expect((await move("*.txt", "nowhere")).status).toBe(409);
    expect((await move("*.txt", "dir")).status).toBe(200);
    expect(await readdir(path.join(folder, "dir"))).toEqual(["a.txt", "b.txt", "c.txt", "deep", "star*.txt"]);
  });

  test.each([
    ["../x", "y", "Source path is outside workspace"],
    ["a.txt", "../../y", "Target path is outside workspace"],
    ["a.txt", "/tmp/q", "Target path is outside workspace"],
    ["/a.txt", "q", "Source path is outside workspace"],
    ["dir", "dir/deep/inside", "Something went wrong:\n dir cannot be moved into itself."],
    ["a.txt", "a.txt", "Something went wrong:\n a.txt and a.txt are the same file."],
    ["a.txt", "b.txt/x", "Something went wrong:\n a file is in the way of the folder 'b.txt'."],
    ["dir", "a.txt", /Something went wrong:\n something of another kind.* is in the way at a.txt/],
  ])("%s to %s is refused", async (source, target, sentence) => {
    const { status, body } = await move(source, target);
    expect([status, body["message"]]).toEqual([
      409,
      typeof sentence === "string" ? sentence : expect.stringMatching(sentence),
    ]);
    expect(isThere("a.txt") && isThere("dir/c.txt")).toBe(true);
  });

  test("never through a link, in either direction", async () => {
    await link(outside, "link");
    expect((await move("link/secret", "stolen")).status).toBe(409);
    expect((await move("a.txt", "link/a.txt")).status).toBe(409);
    await link(path.join(outside, "secret"), "to-file");
    expect((await move("a.txt", "to-file")).status).toBe(409);
    // A move into a link to a folder would go through the link; a move over a link is refused.
    expect((await move("a.txt", "link")).status).toBe(409);
    expect(await readdir(outside)).toEqual(["secret"]);
    expect(isUntouched()).toBe(true);
    expect((await move("link", "dir")).status).toBe(200);
    expect(isThere("dir/link/secret")).toBe(true);
  });
});

describe("GET disk_usage", async () => {
  const rows = await createRun(api, ada, "rows");
  await runScenarios(
    api,
    await refusalRows(api, "GET", rows, (address) => `/api/workflows/${address}/disk_usage`),
  );

  const usage = async (query: string, payload?: object) => {
    const reply = await api.inject({
      url: at(run, "", query).replace("/workspace?", "/disk_usage?"),
      ...(payload && { payload }),
    });
    expect(reply.statusCode).toBe(200);
    return reply.json<{
      workflow_name: string;
      disk_usage_info: { name: string; size: { raw: number } }[];
    }>();
  };

  test("equal to the report of du", async () => {
    const { disk_usage_info: info, workflow_name: name } = await usage("");
    expect(name).toBe("files");
    const du = execFileSync("du", ["-a", "-B1", "."], { cwd: folder, encoding: "utf8" }).trim().split("\n");
    const expected = du
      .map((line) => line.split("\t"))
      .map(([bytes, file]) => [file!.slice(1), Number(bytes)]);
    expect(info.map((row) => [row.name, row.size.raw])).toEqual(
      expected.sort(([a], [b]) => (a! < b! ? -1 : 1)),
    );
  });

  test("the sum alone, in the body or the query", async () => {
    const [sum] = (await usage("summarize=true")).disk_usage_info;
    expect((await usage("", { summarize: true })).disk_usage_info).toEqual([sum]);
    expect(sum!.name).toBe("");
  });

  test("by pattern and by exact size", async () => {
    const names = async (search: object) =>
      (await usage("", { search: JSON.stringify(search) })).disk_usage_info.map((row) => row.name);
    expect(await names({ name: ["dir/*"] })).toEqual(["/dir/c.txt", "/dir/deep"]);
    const { raw } = (await usage("", { search: '{"name":["/a.txt"]}' })).disk_usage_info[0]!.size;
    expect(await names({ name: ["*.txt"], size: [String(raw)] })).toContain("/a.txt");
    expect(await names({ size: ["1"] })).toEqual([]);
  });

  test("links count for themselves alone", async () => {
    await link(outside, "dir/link");
    const names = (await usage("")).disk_usage_info.map((row) => row.name);
    expect(names).toContain("/dir/link");
    expect(names).not.toContain("/dir/link/secret");
  });
});
