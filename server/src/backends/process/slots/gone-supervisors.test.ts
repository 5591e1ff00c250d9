import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { spawn } from "node:child_process";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Backend, JobRequest } from "#backends/backend";
import { isGone, watchEnds } from "#backends/backend-fixture";
import { BOOT_ID, type LocalFixture, localFixture } from "#backends/local/local-fixture";
import { isAlive } from "#backends/process/table/process-table";
import { readRecord } from "#backends/process/attempt/record";

describe("when the supervisor of a job is gone", () => {
  let local: LocalFixture;
  let backend: Backend;
  let ends: ReturnType<typeof watchEnds>;

  beforeEach(async () => {
    local = await localFixture();
    backend = local.open();
    ends = watchEnds(backend);
  });
  afterEach(() => local.close());

  const folderOf = ({ id }: JobRequest) => path.join(local.folder, id);
  const supervisorOf = (job: JobRequest) => {
    const { owner } = readRecord(folderOf(job));
    if (typeof owner !== "object") throw new Error("Nobody has claimed the job.");
    return owner;
  };
  /** Writes the record of an attempt that claims to be supervised by another process. */
  const attempt = (job: JobRequest, ...lines: string[]) => {
    mkdirSync(folderOf(job));
    writeFileSync(path.join(folderOf(job), "record"), lines.map((line) => `\n${line}\n`).join(""));
  };

  test("killed with SIGKILL: the job is lost, its processes end, and it is never run again", async () => {
    const job = local.request(
      "echo ran >> count; setsid sleep 1000 & sleep 1000 & echo $! > near; exec sleep 1000",
    );
    await backend.submit(job);
    const near = Number(await local.written("near"));
    const leader = readRecord(folderOf(job)).group!;
    process.kill(supervisorOf(job).pid, "SIGKILL");
    const end = await ends.of(job.id);
    expect(end).toMatchObject({ reason: "lost", exitCode: null });
    expect(await isGone(near)).toBe(true);
    expect(await isGone(leader)).toBe(true);
    expect(await backend.submit(job)).toEqual({ status: "ended", end });
    expect(await local.open().submit(job)).toEqual({ status: "ended", end });
    expect(await local.written("count")).toBe("ran");
  });

  test("other jobs of the host continue, and new jobs run", async () => {
    const [one, other] = [
      local.request("echo up > up; sleep 1000"),
      local.request("read -r code < go; exit $code"),
    ];
    await spawned("mkfifo", path.join(local.workspaceFolder, "go"));
    await backend.submit(one);
    await backend.submit(other);
    await local.written("up");
    process.kill(supervisorOf(one).pid, "SIGKILL");
    expect(await ends.of(one.id)).toMatchObject({ reason: "lost" });
    writeFileSync(path.join(local.workspaceFolder, "go"), "6\n");
    expect(await ends.of(other.id)).toMatchObject({ reason: "exited", exitCode: 6 });
    const more = await Promise.all([1, 2, 3, 4, 5, 6].map((code) => local.run(backend, `exit ${code}`)));
    expect(more.map(({ end }) => end.exitCode)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test("killed while no server is running: the next server finds the job lost", async () => {
    const job = local.request("echo $$ > pid; sleep 1000; :");
    await backend.submit(job);
    const pid = Number(await local.written("pid"));
    await backend.close();
    process.kill(supervisorOf(job).pid, "SIGKILL");
    while (isAlive(supervisorOf(job), BOOT_ID)) await new Promise((resolve) => setTimeout(resolve, 1));
    const next = local.open();
    expect(await next.submit(job)).toMatchObject({ status: "ended", end: { reason: "lost" } });
    expect(await isGone(pid)).toBe(true);
  });

  test("killed while a later server is running: the end is reported", async () => {
    const job = local.request("echo up > up; sleep 1000");
    await backend.submit(job);
    await local.written("up");
    await backend.close();
    const next = local.open();
    const nextEnds = watchEnds(next);
    expect(await next.submit(job)).toEqual({ status: "running" });
    process.kill(supervisorOf(job).pid, "SIGKILL");
    expect(await nextEnds.of(job.id)).toMatchObject({ reason: "lost" });
  });

  test("a reused pid is not the supervisor, and is not signalled", async () => {
    const stranger = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
    const job = local.request("echo ran > count");
    attempt(job, `claimed ${stranger.pid} 1 ${BOOT_ID} 1700000000 - 0 0 .`, `group ${stranger.pid} .`);
    expect(await backend.submit(job)).toMatchObject({ status: "ended", end: { reason: "lost" } });
    const cancelled = local.request("echo ran > count");
    attempt(cancelled, `claimed ${stranger.pid} 1 ${BOOT_ID} 1700000000 - 0 0 .`, `group ${stranger.pid} .`);
    expect(await backend.cancel(cancelled)).toMatchObject({ reason: "cancelled" });
    expect(await isGone(stranger.pid!)).toBe(false);
    expect(stranger.signalCode).toBeNull();
    stranger.kill("SIGKILL");
  });

  test("killed before the job's process has executed the command: that process ends", async () => {
    // A fork of slot.sh, without a mark.
    const fork = spawn("bash", ["-c", "sleep 1000; :", "slot.sh"], { detached: true, stdio: "ignore" });
    const job = local.request("echo ran > count");
    attempt(job, `claimed ${fork.pid} 1 ${BOOT_ID} 1700000000 - 0 0 .`, `group ${fork.pid} .`);
    expect(await backend.submit(job)).toMatchObject({ status: "ended", end: { reason: "lost" } });
    expect(await isGone(fork.pid!)).toBe(true);
  });

  test("a zombie is gone, although its pid can be signalled", async () => {
    // A program that never waits for its child. The child leaves once its parent has become the program: bash
    // would wait.
    const child = "while read -r name </proc/$$/comm && [ $name = bash ]; do :; done";
    const parent = spawn("bash", ["-c", `${child} & exec sleep 1000`], { stdio: "ignore" });
    const zombie = await zombieOf(parent.pid!);
    expect(process.kill(zombie.pid, 0)).toBe(true);
    expect(isAlive({ ...zombie, bootId: BOOT_ID }, BOOT_ID)).toBe(false);
    const job = local.request("echo ran > count");
    attempt(job, `claimed ${zombie.pid} ${zombie.born} ${BOOT_ID} 1700000000 - 0 0 .`);
    expect(await backend.submit(job)).toMatchObject({ status: "ended", end: { reason: "lost" } });
    parent.kill("SIGKILL");
  });

  test("after a reboot a job that was running is lost", async () => {
    const job = local.request("echo up > up; sleep 1000");
    await backend.submit(job);
    await local.written("up");
    await backend.close();
    const after = local.open({ bootId: "another-boot" });
    expect(await after.submit(job)).toMatchObject({ status: "ended", end: { reason: "lost" } });
  });

  test("after a reboot a job that was only intended is lost and never started", async () => {
    const job = local.request("echo ran > count");
    const after = local.open({ bootId: "another-boot" });
    const state = await after.submit(job);
    expect(state).toMatchObject({ status: "ended", end: { reason: "lost", exitCode: null } });
    expect(await backend.submit(job)).toEqual(state);
    await expect(local.run(backend, "cat count")).resolves.toMatchObject({ end: { exitCode: 1 } });
  });
});

async function spawned(program: string, ...args: string[]): Promise<void> {
  const child = spawn(program, args, { stdio: "ignore" });
  await new Promise((resolve) => child.once("exit", resolve));
}

async function zombieOf(parent: number): Promise<{ pid: number; born: string }> {
  for (;;) {
    const children = readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").trim();
    const fields = children && readFileSync(`/proc/${children}/stat`, "utf8").split(") ")[1]!.split(" ");
    if (fields && fields[0] === "Z") return { pid: Number(children), born: fields[19]! };
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
