import { chmod, mkdir, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { connect } from "reprise-sdk";
import { downloadFiles, type TransferredFile, uploadFile, uploadFiles } from "reprise-sdk/node";
import { afterAll, describe, expect, test } from "vitest";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { startLocal } from "#app/start";
import type { RunService } from "#cli/run/service/run-service";
import { isOver } from "#workflow/run/run-status";
import { runsOverHttp } from "#cli/run/service/runs-over-http";
import { readConfig } from "#config/read";
import { apiFixture } from "../support/api-fixture.ts";
import { createRun, serial, T } from "../support/run-rows.ts";
import { workspaceClient } from "../support/workspace-client.ts";

/** Tests that a file's execute bit survives each of our ways into a workspace and out again. */
const api = await apiFixture();
const ada = await api.makeUser();
const client = connect({ url: await api.listen(), token: ada.token });
const { folderOf, put } = workspaceClient(api, ada);
let folder: string;

folderForEach((made) => void (folder = made));
afterAll(() => api.close());

const SENDING = {
  signal: new AbortController().signal,
  onBytes: () => undefined,
  onChecked: () => undefined,
  onFile: () => undefined,
};
const LARGE_BYTES = 9 << 20;
const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);
const umask = process.umask();
const EXECUTABLE = (0o777 & ~umask).toString(8);
const PLAIN = (0o666 & ~umask).toString(8);

async function make(name: string, mode: number, bytes = 3): Promise<string> {
  const file = path.join(folder, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, Buffer.alloc(bytes, "x"));
  await chmod(file, mode);
  return file;
}

describe("the SDK", () => {
  test("keeps it on the way there and back: alone, in parts, among many", async () => {
    const run = await createRun(api, ada, "modes");
    const workspace = await folderOf(run);
    const files: TransferredFile[] = [];
    for (const [name, mode, bytes] of [
      ["go.sh", 0o755, 3],
      ["a.txt", 0o644, 3],
      ["secret.txt", 0o400, 3],
      ["large.bin", 0o700, LARGE_BYTES],
      ["large.txt", 0o600, LARGE_BYTES],
    ] as const) {
      files.push({ name, bytes, file: await make(name, mode, bytes) });
    }
    const expected = [EXECUTABLE, PLAIN, PLAIN, EXECUTABLE, PLAIN];
    await uploadFiles(client, { workflow: run.id, files });
    const modes = (from: string) => Promise.all(files.map(({ name }) => modeOf(path.join(from, name))));
    expect(await modes(workspace)).toEqual(expected);
    for (const { name, file } of files) {
      await rm(path.join(workspace, name));
      await uploadFile(client, { workflow: run.id, name, file });
    }
    expect(await modes(workspace)).toEqual(expected);
    const back = files.map((file) => ({ ...file, file: path.join(folder, "back", file.name) }));
    await downloadFiles(client, { workflow: run.id, files: back });
    expect(await modes(path.join(folder, "back"))).toEqual(expected);
    await downloadFiles(client, { workflow: run.id, files: back.slice(0, 1) });
    expect(await modeOf(back[0]!.file)).toBe(EXECUTABLE);
  });

  test("the same bytes with another mode are another upload in parts", async () => {
    const run = await createRun(api, ada, "again");
    const file = await make("large", 0o600, LARGE_BYTES);
    await uploadFile(client, { workflow: run.id, name: "large", file });
    await chmod(file, 0o755);
    await uploadFile(client, { workflow: run.id, name: "large", file });
    expect(await modeOf(path.join(await folderOf(run), "large"))).toBe(EXECUTABLE);
  });
});

test("a plain upload has no executable bit", async () => {
  const run = await createRun(api, ada, "plain");
  await put(run, "plain.sh", "true");
  expect(await modeOf(path.join(await folderOf(run), "plain.sh"))).toBe(PLAIN);
  const url = `/api/workflows/${run.id}/workspace?file_name=asked.sh&executable=true&${T(ada)}`;
  const reply = await api.inject({ method: "POST", url, payload: "true" });
  expect(reply.json()).toEqual({ message: "asked.sh has been successfully uploaded." });
  expect(await modeOf(path.join(await folderOf(run), "asked.sh"))).toBe(EXECUTABLE);
  const file = (name: string) => api.inject(`/api/workflows/${run.id}/workspace/${name}?${T(ada)}`);
  expect((await file("asked.sh")).headers["reprise-executable"]).toBe("true");
  expect((await file("plain.sh")).headers["reprise-executable"]).toBeUndefined();
});

describe("reprise run", () => {
  const specification = serial(["./go.sh > out.txt", "cp go.sh made.sh"]);

  async function through(runs: RunService): Promise<string> {
    const { id } = await runs.create("fit", specification);
    const file = await make("go.sh", 0o755, 0);
    await writeFile(file, "#!/bin/sh\necho done\n");
    await runs.upload(id, [{ name: "go.sh", file, bytes: 20 }], SENDING);
    await runs.start(id, { parameters: {}, options: {} });
    await expect.poll(async () => isOver((await runs.view(id)).status)).toBe(true);
    expect((await runs.failure(id))?.sentence).toBeUndefined();
    let bytes = 0;
    const target = path.join(folder, "made.sh");
    await runs.fetch(id, "made.sh", target, (count) => (bytes += count));
    expect(bytes).toBe(20);
    return modeOf(target);
  }

  test("in a separate process runs a script from the inputs, and brings a script back", async () => {
    const runs = await startLocal(
      readConfig({ HOME: folder, REPRISE_DATA: path.join(folder, "data"), REPRISE_CONTAINERS: "none" }),
    );
    try {
      expect(await through(runs)).toBe(EXECUTABLE);
    } finally {
      await runs.close();
    }
  });

  test("beside a server sends and fetches it, too", async () => {
    const runs = runsOverHttp(client);
    const { id } = await runs.create("fit", specification);
    await runs.upload(id, [{ name: "go.sh", file: await make("go.sh", 0o755), bytes: 3 }], SENDING);
    const target = path.join(folder, "back.sh");
    await runs.fetch(id, "go.sh", target, () => undefined);
    expect(await modeOf(target)).toBe(EXECUTABLE);
  });
});
