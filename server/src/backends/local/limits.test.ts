import { statSync } from "node:fs";
import { symlink } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { watchEnds } from "#backends/backend-fixture";
import { type LocalFixture, processesOf, withLocal } from "#backends/local/local-fixture";
import { openSandbox } from "#backends/walls/sandbox";
import { HAS_BUBBLEWRAP } from "#backends/walls/sandbox-fixture";
import { systemClock } from "#plumbing/clock";

const LIMIT_BYTES = 2 ** 20;
describe("limits of jobs", { concurrent: true }, () => {
  const open = (local: LocalFixture) => local.open({ maxOutputBytes: LIMIT_BYTES });
  const logSize = (local: LocalFixture, id: string) => statSync(path.join(local.folder, id, "log")).size;
  const slotOf = (record: string) => /^claimed (\d+) /m.exec(record)![1];

  test(
    "a job that prints without end is ended, and its output is kept",
    withLocal(async (local) => {
      const backend = open(local);
      const { id, end } = await local.run(backend, "yes reprise");
      expect(end).toMatchObject({ reason: "output-limit", detail: "The limit is 1 MiB." });
      expect(logSize(local, id)).toBeGreaterThan(LIMIT_BYTES);
      expect(String(await backend.readLog(id, 0, 16))).toBe("reprise\nreprise\n");
      const size = logSize(local, id);
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(logSize(local, id)).toBe(size);
    }),
  );

  test(
    "both streams count, even of a process outside the group that ignores SIGTERM",
    withLocal(async (local) => {
      const backend = open(local);
      const script =
        "trap '' TERM; setsid bash -c \"trap '' TERM; while :; do echo 12345678 >&2; done\" & yes & wait; wait";
      const { id, end } = await local.run(backend, script);
      expect(end).toMatchObject({ reason: "output-limit" });
      expect(await processesOf([id])).toEqual([]);
    }),
  );

  test(
    "output through /dev/stdout counts too",
    withLocal(async (local) => {
      const { end } = await local.run(open(local), "yes > /dev/stdout");
      expect(end).toMatchObject({ reason: "output-limit" });
    }),
  );

  test(
    "a job that prints less, or writes as much into its own file, is not affected",
    withLocal(async (local) => {
      const backend = open(local);
      const script = `head -c ${LIMIT_BYTES} /dev/zero; head -c ${3 * LIMIT_BYTES} /dev/zero > mine; sleep 2.5`;
      expect((await local.run(backend, script)).end).toMatchObject({ reason: "exited", exitCode: 0 });
    }),
  );

  test(
    "limits hold while no server is running, and the keeper exits after the last job",
    withLocal(async (local) => {
      const backend = open(local);
      const printing = local.request("echo $PPID > pid; exec yes");
      const waiting = local.request("trap '' TERM; while :; do sleep 0.1; done", {
        limits: { timeMs: 1200 },
      });
      await backend.submit(printing);
      await backend.submit(waiting);
      await local.written("pid");
      await backend.close();
      for (const { id } of [printing, waiting]) await local.ended(id);
      expect(await local.record(printing.id)).toContain("\nmarked output-limit .\n");
      expect(await local.record(waiting.id)).toContain("\nmarked time-limit .\n");
      const next = local.open();
      expect(await next.submit(printing)).toMatchObject({ status: "ended", end: { reason: "output-limit" } });
      expect(await next.submit(waiting)).toMatchObject({ status: "ended", end: { reason: "time-limit" } });
      await next.close();
      while ((await local.helpers()).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    }),
  );

  test(
    "a keeper that was killed is replaced while jobs run",
    withLocal(async (local) => {
      const backend = open(local);
      const ends = watchEnds(backend);
      const job = local.request("echo up > up; sleep 1000", { limits: { timeMs: 3000 } });
      await backend.submit(job);
      await local.written("up");
      const [keeper] = await local.helpers("keeper-process.ts");
      process.kill(keeper!, "SIGKILL");
      expect(await ends.of(job.id)).toMatchObject({ reason: "time-limit" });
      expect(local.reports).toEqual([expect.stringContaining("enforces the limits of jobs, has ended")]);
    }),
  );

  test(
    "a job with too many processes is ended",
    withLocal(async (local) => {
      const backend = local.open({ maxProcesses: 20 });
      const { id, end } = await local.run(backend, "for i in {1..40}; do sleep 1000 & done; wait");
      expect(end).toMatchObject({
        reason: "process-limit",
        detail: expect.stringMatching(/^Too many processes: had [234]\d at once, and may have 20\.$/),
      });
      expect(await processesOf([id])).toEqual([]);
    }),
  );

  test.each([
    ["its tree, as the processes of a fork bomb do", "(sleep 1000 &)"],
    ["its process group, as daemons do", "(setsid sleep 1000 &)"],
  ])("processes of a job count that have left %s", (_what, start) =>
    withLocal(async (local) => {
      const backend = local.open({ maxProcesses: 20 });
      const script = `for i in {1..40}; do ${start}; done; sleep 1000`;
      const { id, end } = await local.run(backend, script);
      expect(end).toMatchObject({
        reason: "process-limit",
        detail: expect.stringMatching(/^Too many processes: had [234]\d at once, and may have 20\.$/),
      });
      await expect.poll(() => processesOf([id])).toEqual([]);
    })(),
  );

  test(
    "a job with as many processes as it may have is not affected",
    withLocal(async (local) => {
      const script = "for i in {1..15}; do sleep 2 & done; wait";
      const { end } = await local.run(local.open({ maxProcesses: 20 }), script);
      expect(end).toMatchObject({ reason: "exited", exitCode: 0 });
    }),
  );

  test.each(["its own", "the server's"])("a job that writes too much is ended: %s limit", (whose) =>
    withLocal(async (local) => {
      const isOwn = whose === "its own";
      const backend = local.open(isOwn ? {} : { maxDiskBytes: 2 * LIMIT_BYTES });
      const change = isOwn ? { limits: { diskBytes: 2 * LIMIT_BYTES } } : {};
      const script = `for i in {1..3}; do head -c ${LIMIT_BYTES} /dev/zero > x; rm x; done; sleep 1000`;
      const { end } = await local.run(backend, script, change);
      expect(end).toMatchObject({
        reason: "disk-limit",
        detail: expect.stringMatching(/^It wrote \d+(\.\d+)? MiB to disk; the limit is 2 MiB\.$/),
      });
    })(),
  );

  test(
    "a job that makes too many files is ended",
    withLocal(async (local) => {
      const backend = local.open({ maxFiles: 100 });
      const { end } = await local.run(backend, "mkdir a; touch a/{1..60} ~/{1..60}; sleep 1000");
      expect(end).toMatchObject({
        reason: "file-limit",
        detail: "Too many files: more than 100 in its workspace, its home and /tmp.",
      });
    }),
  );

  test(
    "a job with as many files as it may have is not affected",
    withLocal(async (local) => {
      const backend = local.open({ maxFiles: 100 });
      const { end } = await local.run(backend, "touch {1..100}; sleep 2.5");
      expect(end).toMatchObject({ reason: "exited", exitCode: 0 });
    }),
  );

  test.each([
    {
      limit: "processes",
      file: "marks.new",
      script: "for i in {1..40}; do (setsid sleep 1000 &); done; sleep 1000",
      reason: "process-limit",
    },
    {
      limit: "files",
      file: "$REPRISE_JOB_ID/files.new",
      script: "touch {1..150}; sleep 1000",
      reason: "file-limit",
    },
  ])(
    "a named pipe left by a job changes no limit on $limit of the next",
    { timeout: 60_000 },
    ({ file, script, reason }) =>
      withLocal(async (local) => {
        const backend = local.open({ maxProcesses: 20, maxFiles: 100 });
        const first = await local.run(backend, `mkfifo ${local.folder}/${file}; sleep 2.5`);
        expect(first.end).toMatchObject({ reason: "exited", exitCode: 0 });
        const next = await local.run(backend, script, { limits: { timeMs: 15_000 } });
        expect(next.end).toMatchObject({ reason });
        expect(slotOf(await local.record(next.id))).toBe(slotOf(await local.record(first.id)));
        await backend.close();
        while ((await local.helpers()).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
      })(),
  );

  test(
    "a job whose container is not made in time has not started",
    withLocal(async (local) => {
      const backend = local.open({ containerSeconds: 1 });
      const program = path.join(local.workspaceFolder, "podman");
      await symlink("/bin/true", program);
      const started = { runtime: { name: "podman", program }, image: "i", digest: "d" };
      // The monitor has the name among its words.
      const script =
        `echo -n '${JSON.stringify(started)}' > ${local.folder}/$REPRISE_JOB_ID/container; ` +
        'exec bash -c "sleep 1000; :" conmon -n "reprise-0a1b-$REPRISE_JOB_ID"';
      const { id, end } = await local.run(backend, script);
      expect(end).toMatchObject({
        reason: "not-started",
        exitCode: null,
        detail: expect.stringContaining("did not make the container in time"),
      });
      expect(await processesOf([id])).toEqual([]);
    }),
  );

  test.each(["an ordinary job", ...(HAS_BUBBLEWRAP ? ["a job in the sandbox"] : [])])(
    "the processor time of an ended %s includes processes with ended parents",
    (which) =>
      withLocal(async (local) => {
        const sandbox = await openSandbox(local.folder, { network: "on", mounts: [] });
        const wall = which.includes("sandbox") && "wall" in sandbox ? { wall: sandbox.wall } : {};
        const busy = "for ((i = 0; i < 300000; i++)); do :; done; times > used";
        const { end } = await local.run(
          local.open({ ...wall, maxOutputBytes: LIMIT_BYTES }),
          `(${busy}; exec yes) & exec sleep 1000`,
        );
        expect(end.reason).toBe("output-limit");
        const [, seconds] = /^0m([\d.]+)s/.exec(await local.written("used"))!;
        expect(end.usage!.cpuMs).toBeGreaterThan(Number(seconds) * 1000 * 0.9);
      })(),
  );

  test(
    "a jump of the clock moves no limit, and no job ends before it starts",
    withLocal(async (local) => {
      let shiftMs = 0;
      const clock = { ...systemClock, now: () => Date.now() + shiftMs };
      const backend = local.open({ clock });
      const ends = watchEnds(backend);
      const job = local.request("echo up > up; sleep 1000", { limits: { timeMs: 60_000 } });
      await backend.submit(job);
      await local.written("up");
      for (const hours of [100, -200]) {
        shiftMs = hours * 3_600_000;
        await new Promise((resolve) => setTimeout(resolve, 600));
      }
      expect(await local.open({ clock }).submit(job)).toEqual({ status: "running" });
      const end = await backend.cancel(job);
      expect(end.reason).toBe("cancelled");
      expect(end.endedAtMs).toBeGreaterThanOrEqual(end.startedAtMs!);
      expect(await ends.of(job.id)).toEqual(end);
    }),
  );
});
