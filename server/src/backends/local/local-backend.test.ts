import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Backend } from "#backends/backend";
import { folderOf, removeTree, watchEnds } from "#backends/backend-fixture";
import { backendContract } from "#backends/contract-suite";
import { openLocalBackend } from "#backends/local/local-backend";
import {
  BOOT_ID,
  HOST_ID,
  localFixture,
  type LocalFixture,
  sharedLocal,
  withLocal,
} from "#backends/local/local-fixture";
import { systemClock } from "#plumbing/clock";

const log = {
  error(details: object, message: string) {
    throw new Error(message, { cause: details });
  },
};
const open = (folder: string, hostId = HOST_ID) =>
  openLocalBackend({
    folder,
    hostId,
    bootId: BOOT_ID,
    clock: systemClock,
    maxOutputBytes: 2 ** 20,
    removeTree,
    log,
  });

backendContract("The local backend", async (folder) => ({
  backend: open(folder),
  reopen: async () => open(folder),
  // A copy of a data folder is another host: it does not touch the processes of the original.
  openCopy: async (files) => open(await folderOf(files), "host of the copy"),
}));

test(
  "the local backend starts slots for expected jobs, and no further slots for the jobs",
  withLocal(async (own) => {
    const backend = own.open();
    backend.expectJobs!();
    const started = Math.min(4, os.availableParallelism());
    await expect.poll(async () => (await own.helpers("slot.sh")).length).toBe(started);
    const slots = await own.helpers("slot.sh");
    expect((await own.run(backend, "echo $PPID > slot; echo up")).log).toBe("up\n");
    expect(slots).toContain(Number(await own.written("slot")));
    expect(await own.helpers("slot.sh")).toEqual(slots);
  }),
);

describe("The local backend", () => {
  let local: LocalFixture;
  let backend: Backend;

  sharedLocal((opened) => void ({ local, backend } = opened));

  test("a workspace that is gone fails the job instead of running it elsewhere", async () => {
    const job = { ...local.request("pwd"), workspaceFolder: path.join(local.workspaceFolder, "gone") };
    const ends = watchEnds(backend);
    await backend.submit(job);
    expect(await ends.of(job.id)).toMatchObject({ reason: "exited", exitCode: 126 });
    expect(String(await backend.readLog(job.id, 0, 1000))).toMatch(
      /cd: .*\/gone: No such file or directory\n$/,
    );
  });

  test("a job that is only stopped has not ended", async () => {
    const job = local.request("echo $$ > pid; kill -STOP $$; exit 5");
    const ends = watchEnds(backend);
    await backend.submit(job);
    const pid = Number(await local.written("pid"));
    await isStopped(pid);
    expect(await local.open().submit(job)).toEqual({ status: "running" });
    process.kill(pid, "SIGCONT");
    expect(await ends.of(job.id)).toMatchObject({ reason: "exited", exitCode: 5 });
  });

  test("an end has the processor time of the job and of the children that it waited for", async () => {
    const { end } = await local.run(backend, "bash -c 'for ((i = 0; i < 300000; i++)); do :; done'; :");
    expect(end.usage!.cpuMs).toBeGreaterThan(50);
    expect(end.usage!.cpuMs).toBeLessThan(60_000);
    // A slot runs many jobs: a job is not charged for earlier jobs.
    for (let turn = 0; turn < 5; turn += 1) {
      expect((await local.run(backend, "true")).end.usage!.cpuMs).toBeLessThan(50);
    }
  });

  test("nothing is left of the slots, whether they exited or were killed", async () => {
    const own = await localFixture();
    const slots = () => readdirSync(path.join(own.folder, "slots"));
    const first = own.open();
    await own.run(first, "true");
    await own.run(first, "true");
    const [killed] = slots();
    process.kill(Number(killed), "SIGKILL");
    await first.close();
    await expect.poll(() => own.helpers("slot.sh")).toEqual([]);
    expect(slots()).toEqual([killed]);
    await own.open().close();
    expect(slots()).toEqual([]);
    await own.close();
  });

  test("a backend closed just after the keeper's exit leaves no timer", async () => {
    const own = await localFixture();
    const timers = new Set<() => void>();
    const first = own.open({
      clock: {
        ...systemClock,
        after(ms, ring) {
          const callOff = systemClock.after(ms, () => {
            timers.delete(callOff);
            ring();
          });
          timers.add(callOff);
          return () => {
            callOff();
            timers.delete(callOff);
          };
        },
      },
    });
    const job = own.request("sleep 1000");
    await first.submit(job);
    const [keeper] = await own.helpers("keeper-process.ts");
    process.kill(keeper!, "SIGKILL");
    await expect.poll(() => own.reports).toHaveLength(1);
    await first.close();
    expect(timers.size).toBe(0);
    await own.close();
  });

  test("a backend closed while its first slots start leaves none, and the next one runs the job", async () => {
    const own = await localFixture();
    const first = own.open();
    const job = own.request("exit 3");
    const submitted = first.submit(job);
    await first.close();
    await submitted;
    const next = own.open();
    const ends = watchEnds(next);
    await next.submit(job);
    expect(await ends.of(job.id)).toMatchObject({ reason: "exited", exitCode: 3 });
    await next.close();
    await expect.poll(() => own.helpers("slot.sh")).toEqual([]);
    expect(own.reports).toEqual([]);
    await own.close();
  });

  test("more jobs than slots run in parallel", async () => {
    // The slots of two starts, and one more.
    const count = 9;
    const jobs = Array.from({ length: count }, (_, index) =>
      local.request(`echo x >> at-once; sleep 1000; exit ${index}`),
    );
    await Promise.all(jobs.map((job) => backend.submit(job)));
    for (;;) {
      if ((await local.written("at-once")).split("\n").length === count) break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(backend.runningJobs()).toBe(count);
    const ends = await Promise.all(jobs.map((job) => backend.cancel(job)));
    expect(new Set(ends.map(({ reason }) => reason))).toEqual(new Set(["cancelled"]));
    expect(backend.runningJobs()).toBe(0);
  });

  test("a folder that an earlier server has just made counts as a new attempt", async () => {
    const job = local.request("exit 3");
    mkdirSync(path.join(local.folder, job.id));
    writeFileSync(path.join(local.folder, job.id, "record"), "\nclaimed 12 ");
    const ends = watchEnds(backend);
    expect(await backend.submit(job)).toEqual({ status: "running" });
    expect(await ends.of(job.id)).toMatchObject({ reason: "exited", exitCode: 3 });
  });
});

async function isStopped(pid: number): Promise<void> {
  while (!/\) T /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
