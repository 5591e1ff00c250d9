import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { connect } from "reprise-sdk";
import { downloadFiles, uploadFiles } from "reprise-sdk/node";
import { afterAll, describe, expect, test } from "vitest";
import { type FileRecord, headOf, readFileRecords } from "#plumbing/files/file-records";
import { apiFixture } from "../../support/api-fixture.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";
import { changeStatus, createRun, refusalRows, T } from "../../support/run-rows.ts";

/** Many small files in one request, sent by hand and by the SDK. */
const api = await apiFixture();
const url = await api.listen();
const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-many-"));
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});
const ada = await api.makeUser();
const run = await createRun(api, ada, "fit");
const deleted = await createRun(api, ada, "gone");
await changeStatus(api, ada, deleted.id, "deleted");

const filesOf = (id: string) => `/api/workflows/${id}/files`;
const records = (files: Readonly<Record<string, string>>) =>
  Buffer.concat(
    Object.entries(files).flatMap(([name, text]) => [
      headOf(name, Buffer.byteLength(text), false),
      Buffer.from(text),
    ]),
  );

async function workspaceOf(id: string): Promise<string> {
  const { db, workspaces } = api.operations;
  const ofRun = db.selectFrom("runs").select("workspace_id").where("id", "=", id);
  return workspaces.of((await ofRun.executeTakeFirstOrThrow()).workspace_id).folder;
}
const workspace = await workspaceOf(run.id);
mkdirSync(path.join(workspace, "folder"), { recursive: true });
const outside = path.join(folder, "outside");
mkdirSync(outside);
writeFileSync(path.join(outside, "secret"), "secret");
symlinkSync(path.join(outside, "secret"), path.join(workspace, "link"));
symlinkSync(outside, path.join(workspace, "linked"));

const post = (name: string, body: string | Buffer, status: number, reply: unknown) => ({
  name,
  method: "POST" as const,
  url: `${filesOf(run.id)}?${T(ada)}`,
  body,
  status,
  reply,
});

describe("POST files", async () => {
  const stored = (files: number, bytes: number) => ({
    message: `${files} files have been successfully uploaded.`,
    files,
    bytes,
  });
  await runScenarios(api, [
    ...(await refusalRows(api, "POST", run, filesOf)),
    {
      name: "whose files are gone",
      method: "POST",
      url: `${filesOf(deleted.id)}?${T(ada)}`,
      status: 404,
      reply: "Workspace does not exist.",
    },
    post("what is no list of files", "abc\n", 400, expect.objectContaining({ message: expect.any(String) })),
    post("upwards", records({ "../x": "x" }), 400, "'..' is not a valid path component"),
    post("through a link", records({ "linked/x": "x" }), 400, "Opening symlink 'linked' is not allowed"),
    post("in the place of a link", records({ link: "x" }), 400, "Opening symlink 'link' is not allowed"),
    post(
      "in the place of a folder",
      records({ folder: "x" }),
      400,
      "A directory named 'folder' is in the way.",
    ),
    post(
      "a large one",
      '{"name": "large", "bytes": 1048577}\n',
      413,
      "A file of more than 1048576 bytes must be uploaded alone.",
    ),
    post("none", "", 200, stored(0, 0)),
    post(
      "several, in folders that are made",
      records({ "/a": "1", "d/b": "", "d/e/c": "ccc", "d/f": "f" }),
      200,
      stored(4, 5),
    ),
    post("one in the place of another", records({ a: "22" }), 200, stored(1, 2)),
  ]);

  test("the files are present, and no others", () => {
    const content = (name: string) => readFileSync(path.join(workspace, name), "utf8");
    expect(["a", "d/b", "d/e/c", "d/f"].map(content)).toEqual(["22", "", "ccc", "f"]);
    expect(readdirSync(workspace).toSorted()).toEqual(["a", "d", "folder", "link", "linked"]);
    expect(readdirSync(outside)).toEqual(["secret"]);
  });

  test("files before a refused file are kept, and no later file", async () => {
    const body = records({ "part/1": "1", "part/2": "2", "part/../../x": "x", "part/3": "3" });
    const reply = await api.inject({ method: "POST", url: `${filesOf(run.id)}?${T(ada)}`, payload: body });
    expect(reply.statusCode).toBe(400);
    expect(readdirSync(path.join(workspace, "part")).toSorted()).toEqual(["1", "2"]);
  });
});

describe("GET files", async () => {
  await runScenarios(api, [
    ...(await refusalRows(api, "GET", run, (address) => `${filesOf(address)}?name=a`)),
    { name: "none", url: `${filesOf(run.id)}?${T(ada)}`, status: 400 },
    { name: "upwards", url: `${filesOf(run.id)}?name=../a&${T(ada)}`, status: 400 },
  ]);

  const get = async (...names: string[]): Promise<FileRecord[]> => {
    const query = names.map((name) => `name=${encodeURIComponent(name)}`).join("&");
    const { rawPayload } = await api.inject(`${filesOf(run.id)}?${query}&${T(ada)}`);
    const found: FileRecord[] = [];
    for await (const one of readFileRecords(Readable.from([rawPayload]), 1 << 20)) found.push(one);
    return found;
  };
  const record = (name: string, text: string) => ({ name, content: Buffer.from(text), isExecutable: false });

  test("existing files, in order", async () => {
    expect(await get("d/f", "d/b", "none", "d/e/c", "a")).toEqual([
      record("d/f", "f"),
      record("d/b", ""),
      record("d/e/c", "ccc"),
      record("a", "22"),
    ]);
  });

  test("no links, no folders, no files through a link, no large files", async () => {
    writeFileSync(path.join(workspace, "large"), Buffer.alloc((1 << 20) + 1));
    expect(await get("link", "linked/secret", "folder", "a/b", "no/way", "large", "a")).toEqual([
      record("a", "22"),
    ]);
  });
});

describe("the SDK", () => {
  const local = Array.from({ length: 120 }, (_, index) => `many/${index % 3}/${index}`);
  for (const name of local) {
    mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(folder, name), name.repeat(10));
  }
  writeFileSync(path.join(folder, "many/large"), Buffer.alloc((1 << 20) + 1, "x"));
  const all = [...local, "many/large"].map((name) => ({
    name,
    file: path.join(folder, name),
    bytes: name === "many/large" ? (1 << 20) + 1 : 10 * name.length,
  }));

  /** Uploads and downloads many files through a server whose answers are changed by `alter`. */
  async function thereAndBack(
    name: string,
    alter: (answer: Response) => Response | Promise<Response>,
    files = all,
  ) {
    const asked: string[] = [];
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const client = connect({
      url,
      token: ada.token,
      async fetch(request) {
        const what = /\/(files|workspace)\b/.exec(request.url)?.[1] ?? "";
        asked.push(`${request.method} ${what}`);
        const answer = await fetch(request);
        return what === "files" ? alter(answer) : answer;
      },
    });
    const { id } = await createRun(api, ada, name);
    const told = { files: 0, bytes: 0 };
    const hears = { onBytes: (count: number) => (told.bytes += count), onFile: () => (told.files += 1) };
    await uploadFiles(client, { workflow: id, files, ...hears });
    expect(told).toEqual({ files: files.length, bytes });
    const target = mkdtempSync(path.join(folder, "back-"));
    const back = files.map((file) => ({ ...file, file: path.join(target, file.name) }));
    await downloadFiles(client, { workflow: id, files: back, ...hears });
    expect(told).toEqual({ files: 2 * files.length, bytes: 2 * bytes });
    for (const [index, { file }] of back.entries()) {
      expect(readFileSync(file).equals(readFileSync(files[index]!.file))).toBe(true);
    }
    expect(readdirSync(path.join(target, "many")).toSorted()).toEqual(["0", "1", "2", "large"]);
    return Object.fromEntries(
      [...new Set(asked)].map((one) => [one, asked.filter((other) => other === one).length]),
    );
  }

  test("sends many small files at a time, and fetches many at a time", async () => {
    expect(await thereAndBack("whole", (answer) => answer)).toEqual({
      "POST files": 2,
      "POST workspace": 1,
      "GET files": 2,
      "GET workspace": 1,
    });
  });

  test("sends and fetches each file alone if the server lacks the endpoint", async () => {
    const refused = () => Response.json({ message: "Not found." }, { status: 404 });
    const asked = await thereAndBack("old", refused, all.slice(-13));
    expect(asked).toMatchObject({ "POST workspace": 13, "GET workspace": 13 });
  });

  test("fetches alone the files that had not arrived when the stream broke", async () => {
    const asked = await thereAndBack("broken", async (answer) => {
      const body = await answer.arrayBuffer();
      return new Response(
        body.slice(0, answer.headers.get("content-type")?.includes("json") ? undefined : 12_000),
      );
    });
    expect(asked["GET files"]).toBe(2);
    expect(asked["GET workspace"]).toBeGreaterThan(1);
    expect(asked["GET workspace"]).toBeLessThan(121);
  });

  test("reports errors as for a single file", async () => {
    const client = connect({ url, token: ada.token });
    const files = ["none/1", "none/2", "none/3"].map((name) => ({
      name,
      file: path.join(folder, name),
      bytes: 1,
    }));
    await expect(downloadFiles(client, { workflow: run.id, files })).rejects.toThrow(
      /none\/\d does not exist\./,
    );
    const sources = all.slice(0, 3).map((file) => ({ ...file, name: `linked/${file.name}` }));
    await expect(uploadFiles(client, { workflow: run.id, files: sources })).rejects.toThrow(
      "Opening symlink 'linked' is not allowed",
    );
  });
});
