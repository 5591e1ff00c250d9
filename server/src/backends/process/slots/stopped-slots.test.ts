import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { watchEnds } from "#backends/backend-fixture";
import {
  knownSlots,
  type LocalFixture,
  localFixture,
  processesOf,
  withLocal,
} from "#backends/local/local-fixture";
import { systemClock } from "#plumbing/clock";

/** Limit on the life of a stopping process after a failed test. */
const STOPPING_MAX_S = 50;

/**
 * Stops a process repeatedly, until it is gone or the returned function is called, which resolves when the
 * stopper has ended.
 */
function stopAgainAndAgain(pid: number): () => Promise<unknown> {
  const script = `while ((SECONDS < ${STOPPING_MAX_S})) && kill -STOP ${pid}; do :; done`;
  const stopper = spawn("bash", ["-c", script], { stdio: "ignore" });
  const ended = once(stopper, "exit");
  return () => {
    stopper.kill();
    return ended;
  };
}

/** Kills slots that a job stopped. The stopping processes end with the slots. */
async function endWithTheirStoppers(local: LocalFixture): Promise<void> {
  for (const pid of await local.helpers("slot.sh")) process.kill(pid, "SIGKILL");
}

/** Stops a process repeatedly, and cannot be told from a foreign process. */
const STOPPING = `env -i setsid bash -c 'while ((SECONDS < ${STOPPING_MAX_S})) && kill -STOP '$PPID'; do :; done' &`;

describe("a job that stops the slot or the keeper", { concurrent: true }, () => {
  test(
    "its slot: the slot is continued, and the job ends as it would have",
    withLocal(async (local) => {
      const backend = local.open();
      expect((await local.run(backend, "kill -STOP $PPID; exit 5")).end).toMatchObject({
        reason: "exited",
        exitCode: 5,
      });
    }),
  );

  test(
    "stops all slots, even unused ones, and the next jobs still run",
    withLocal(async (local) => {
      const backend = local.open();
      await local.run(backend, "true");
      for (const pid of await knownSlots(local)) process.kill(pid, "SIGSTOP");
      const all = await Promise.all([1, 2, 3, 4].map((code) => local.run(backend, `exit ${code}`)));
      expect(all.map(({ end }) => end.exitCode)).toEqual([1, 2, 3, 4]);
    }),
  );

  test(
    "the keeper: it is continued when the next job comes",
    withLocal(async (local) => {
      const backend = local.open();
      await local.run(backend, "true");
      for (const pid of await local.helpers("keeper-process.ts")) process.kill(pid, "SIGSTOP");
      expect((await local.run(backend, "sleep 1000", { limits: { timeMs: 500 } })).end.reason).toBe(
        "time-limit",
      );
    }),
  );
});

test("closing the backend after a test that has stopped the slots and the keeper ends all of them", async () => {
  const local = await localFixture();
  await local.run(local.open(), "true");
  for (const pid of [...(await local.helpers("keeper-process.ts")), ...(await knownSlots(local))])
    process.kill(pid, "SIGSTOP");
  await local.close();
  await expect.poll(() => local.helpers()).toEqual([]);
});

// Sequential tests: each keeps a processor busy, and the keeper needs a processor too.
describe("a job that stops the slot repeatedly", () => {
  test(
    "its slot, again and again: the job is lost",
    withLocal(async (local) => {
      const { id, end } = await local.run(local.open(), `${STOPPING} sleep 0.5`);
      expect(end).toMatchObject({ reason: "lost" });
      expect(await processesOf([id])).toEqual([]);
      await endWithTheirStoppers(local);
    }),
  );

  test(
    "all slots, again and again: the next job runs on another",
    withLocal(async (local) => {
      const backend = local.open();
      await local.run(backend, "true");
      const slots = await knownSlots(local);
      const stoppers = slots.map(stopAgainAndAgain);
      try {
        expect((await local.run(backend, "exit 3")).end.exitCode).toBe(3);
      } finally {
        await Promise.all(stoppers.map((stop) => stop()));
      }
    }),
  );

  test(
    "a slot stopped repeatedly: a cancellation ends the slot",
    withLocal(async (local) => {
      const clock = { ...systemClock, elapsedMs: () => systemClock.elapsedMs() * 5 };
      const backend = local.open({ clock });
      const job = local.request(`${STOPPING} echo up > up; sleep 1000`);
      await backend.submit(job);
      await local.written("up");
      expect(await backend.cancel(job)).toMatchObject({ reason: "cancelled" });
      await endWithTheirStoppers(local);
      expect(await processesOf([job.id])).toEqual([]);
    }),
  );
});

describe("files that a job puts into the folder of the slots", { concurrent: true }, () => {
  test(
    "a named pipe, a folder, a link: the next server starts, and the keeper keeps watching",
    withLocal(async (local) => {
      const first = local.open();
      await local.run(first, "true");
      const slots = path.join(local.folder, "slots");
      execFileSync("mkfifo", [path.join(slots, "1")]);
      mkdirSync(path.join(slots, "2"));
      execFileSync("ln", ["-s", "/dev/zero", path.join(slots, "3")]);
      await first.close();
      const next = local.open();
      expect((await local.run(next, "sleep 1000", { limits: { timeMs: 500 } })).end.reason).toBe(
        "time-limit",
      );
      expect(readdirSync(slots)).not.toContain("1");
    }),
  );

  test(
    "a file in place of the folder: the next server starts",
    withLocal(async (local) => {
      rmSync(path.join(local.folder, "slots"), { recursive: true, force: true });
      writeFileSync(path.join(local.folder, "slots"), "");
      expect((await local.run(local.open(), "exit 3")).end.exitCode).toBe(3);
    }),
  );

  test(
    "other processes with the look of a slot: no signals are sent",
    withLocal(async (local) => {
      const backend = local.open();
      const job = local.request(`echo up > up; exec sleep 1000`);
      await backend.submit(job);
      await local.written("up");
      const record = path.join(local.folder, job.id, "record");
      const text = await local.record(job.id);
      // The job writes the test's own process into its record: as its supervisor, and as its group.
      const born = execFileSync("cut", ["-d", " ", "-f", "22", `/proc/${process.pid}/stat`], {
        encoding: "utf8",
      });
      const claim = text
        .match(/^claimed .*$/m)![0]
        .split(" ")
        .with(1, String(process.pid))
        .with(2, born.trim());
      writeFileSync(record, `\n${claim.join(" ")}\n\ngroup ${process.pid} .\n`);
      const ends = watchEnds(backend);
      const end = await backend.cancel(job);
      expect(end.reason).toBe("cancelled");
      expect(await ends.of(job.id)).toEqual(end);
      expect(await processesOf([job.id])).toEqual([]);
    }),
  );
});
