import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startLocal } from "#app/start";
import type { RunService } from "#cli/run/service/run-service";
import { isOver } from "#workflow/run/run-status";
import { readConfig } from "#config/read";
import { dataFolderPaths } from "#plumbing/files/data-folder";

let folder: string;
let runs: RunService;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "reprise-local-"));
  // Left by a killed server: another program may have taken the port since.
  await writeFile(dataFolderPaths(folder).server, '{"url":"http://127.0.0.1:1","pid":1}');
  runs = await startLocal(readConfig({ HOME: folder, REPRISE_DATA: folder, REPRISE_CONTAINERS: "none" }));
});

afterEach(async () => {
  await runs.close();
  await rm(folder, { recursive: true, force: true });
});

const serial = (...commands: string[]) => ({
  workflow: { type: "serial", specification: { steps: [{ name: "step", environment: "any", commands }] } },
});

async function ended(id: string): Promise<string> {
  await expect.poll(async () => isOver((await runs.view(id)).status)).toBe(true);
  return (await runs.view(id)).status;
}

test("no command connects to the address of an earlier server", async () => {
  await expect(stat(dataFolderPaths(folder).server)).rejects.toThrow("ENOENT");
});

test("a run gets the files, continues and gives the files back", async () => {
  const { id, name } = await runs.create("fit", serial("mkdir out", "cp in.txt out/a.txt"));
  expect(name).toBe("fit.1");
  const file = path.join(folder, "mine.txt");
  await writeFile(file, "content");
  const told = { bytes: 0, files: 0 };
  await runs.upload(id, [{ name: "in.txt", file, bytes: 7 }], {
    signal: new AbortController().signal,
    onBytes: (count) => (told.bytes += count),
    onChecked: () => undefined,
    onFile: () => (told.files += 1),
  });
  expect(told).toEqual({ bytes: 7, files: 1 });
  await runs.start(id, { parameters: {}, options: {} });
  expect(await ended(id)).toBe("finished");
  const view = await runs.view(id);
  expect(view).toMatchObject({ jobsTotal: 2, jobsFinished: 2, waitingFor: undefined });
  expect(view.jobs.map(({ step, command, status }) => [step, command, status])).toEqual([
    ["step", "mkdir out", "finished"],
    ["step", "cp in.txt out/a.txt", "finished"],
  ]);
  expect(await runs.list(id, "out")).toEqual([{ name: "out/a.txt", bytes: 7 }]);
  expect(await runs.list(id, "*")).toEqual([{ name: "in.txt", bytes: 7 }]);
  const target = path.join(folder, "back.txt");
  await runs.fetch(id, "out/a.txt", target, () => undefined);
  expect(await readFile(target, "utf8")).toBe("content");
});

test("an output that is a link to a file of the run comes back as that file", async () => {
  const { id } = await runs.create(
    "fit",
    serial("echo real > real.txt; ln -s real.txt out.txt; ln -s /etc bad"),
  );
  await runs.start(id, { parameters: {}, options: {} });
  expect(await ended(id)).toBe("finished");
  expect(await runs.list(id, "out.txt")).toEqual([{ name: "out.txt", bytes: 5 }]);
  const target = path.join(folder, "back.txt");
  await runs.fetch(id, "out.txt", target, () => undefined);
  expect(await readFile(target, "utf8")).toBe("real\n");
  await expect(runs.fetch(id, "bad", target, () => undefined)).rejects.toMatchObject({
    errorCode: "symlink",
  });
});

test("a file that cannot be read is named, and no fault of the workspace", async () => {
  const { id } = await runs.create("fit", serial("true"));
  const file = path.join(folder, "gone.txt");
  const sending = { onBytes: () => undefined, onChecked: () => undefined, onFile: () => undefined };
  const upload = runs.upload(id, [{ name: "in.txt", file, bytes: 7 }], {
    signal: new AbortController().signal,
    ...sending,
  });
  await expect(upload).rejects.toThrow(`${file} cannot be read: ENOENT`);
});

test("why a run failed is its sentence and the last lines", async () => {
  const { id } = await runs.create("fit", serial("echo one; echo two; exit 3"));
  await runs.start(id, { parameters: {}, options: {} });
  expect(await ended(id)).toBe("failed");
  expect(await runs.failure(id)).toMatchObject({
    sentence: 'Step "step" failed: its command exited with code 3.',
    lastLines: ["one", "two"],
  });
});

test("a discarded run is gone", async () => {
  const { id } = await runs.create("fit", serial("true"));
  await runs.discard(id);
  expect((await runs.view(id)).status).toBe("deleted");
});

test("jobs get the variables of --env, and no other variables of the environment", async () => {
  await runs.close();
  const env = {
    HOME: folder,
    REPRISE_DATA: folder,
    ROOTSYS: "/opt/root",
    HIDDEN: "hush",
    REPRISE_CONTAINERS: "none",
  };
  const jobEnvironment = "ROOTSYS\nLC_ALL=C\nOMP_NUM_THREADS=4";
  runs = await startLocal(readConfig(env, { jobEnvironment }));
  const { id } = await runs.create(
    "fit",
    serial('echo "$$ROOTSYS $$LC_ALL $$OMP_NUM_THREADS $$HIDDEN" > out.txt'),
  );
  await runs.start(id, { parameters: {}, options: {} });
  expect(await ended(id)).toBe("finished");
  await runs.fetch(id, "out.txt", path.join(folder, "out.txt"), () => undefined);
  expect(await readFile(path.join(folder, "out.txt"), "utf8")).toBe("/opt/root C 4 \n");
});
