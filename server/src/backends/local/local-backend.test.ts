import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { appears, backendContract, isGone, watchEnds } from "#backends/contract-suite";
import { readBootId } from "#backends/local/boot-id";
import { openLocalBackend } from "#backends/local/local-backend";
import { systemRandom } from "#plumbing/ids";

const bootId = readBootId();
const log = {
  error(details: object, message: string) {
    throw new Error(message, { cause: details });
  },
};
const open = (folder: string, boot = bootId) => openLocalBackend({ folder, bootId: boot, log });

backendContract("The local backend", async (folder) => ({
  backend: open(folder),
  reopen: async () => open(folder),
  bootId,
}));

describe("The local backend", () => {
  let folder: string;
  let workspaceFolder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "reprise-local-"));
    workspaceFolder = await mkdtemp(path.join(os.tmpdir(), "reprise-local-"));
  });

  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await rm(workspaceFolder, { recursive: true, force: true });
  });

  const request = (script: string) => ({
    id: systemRandom.uuid(),
    job: {
      key: "k",
      name: "",
      script,
      displayCommand: script,
      image: null,
      environment: {},
      timeLimitMs: null,
    },
    workspaceFolder,
    bootId,
  });

  test("a job whose supervisor was killed is lost, and its processes end", async () => {
    const backend = open(folder);
    const job = request("echo $$ > pid-of-lost; exec sleep 1000");
    const ends = watchEnds(backend);
    await backend.submit(job);
    await appears(path.join(workspaceFolder, "pid-of-lost"));
    const [supervisor] = (await readFile(path.join(folder, job.id, "claim"), "utf8")).split(" ");
    process.kill(Number(supervisor), "SIGKILL");
    expect(await ends.of(job.id)).toMatchObject({ reason: "lost", exitCode: null });
    const pid = Number(await readFile(path.join(workspaceFolder, "pid-of-lost"), "utf8"));
    expect(await isGone(pid)).toBe(true);
    await backend.close();
  });

  test("a pid that belongs to another process by now is not taken for the supervisor", async () => {
    const backend = open(folder);
    const job = request("true");
    await backend.cancel(job);
    await rm(path.join(folder, job.id, "exit"));
    await writeFile(path.join(folder, job.id, "order"), "true\0");
    await writeFile(path.join(folder, job.id, "claim"), `${process.pid} 1 ${bootId}\n`);
    expect(await backend.submit(job)).toMatchObject({ status: "ended", end: { reason: "lost" } });
    await backend.close();
  });

  test("after a reboot a job is lost, whether it was claimed or not", async () => {
    const before = open(folder);
    const claimed = request("exec sleep 1000");
    await before.submit(claimed);
    await appears(path.join(folder, claimed.id, "group"));
    await before.close();
    const after = open(folder, "another-boot");
    expect(await after.submit(claimed)).toMatchObject({ status: "ended", end: { reason: "lost" } });
    await after.close();
  });

  test("an exit record without its end is not believed", async () => {
    const backend = open(folder);
    const job = request("true");
    await backend.cancel(job);
    await writeFile(path.join(folder, job.id, "order"), "true\0");
    await writeFile(path.join(folder, job.id, "exit"), "exited 0");
    expect(await backend.submit(job)).toMatchObject({ status: "ended", end: { reason: "not-started" } });
    await backend.close();
  });

  test("a workspace that is gone fails the job instead of running it elsewhere", async () => {
    const backend = open(folder);
    const job = { ...request("pwd"), workspaceFolder: path.join(workspaceFolder, "gone") };
    const ends = watchEnds(backend);
    await backend.submit(job);
    expect(await ends.of(job.id)).toMatchObject({ reason: "exited", exitCode: 126 });
    await backend.close();
  });
});
