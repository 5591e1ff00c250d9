import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { watchEnds } from "#backends/backend-fixture";
import {
  BOOT_ID,
  knownSlots,
  type LocalFixture,
  processesOf,
  withLocal,
} from "#backends/local/local-fixture";
import { readRecord } from "#backends/process/attempt/record";
import { signal } from "#backends/process/table/process-table";
import { systemClock } from "#plumbing/clock";

/**
 * A cancelled job has run its command at most once and leaves no process behind, no matter when the cancellation comes.
 */
describe("cancelling a job", { concurrent: true }, () => {
  const ran = (local: LocalFixture, file: string) => {
    const at = path.join(local.workspaceFolder, file);
    return existsSync(at) ? readFileSync(at, "utf8") : "";
  };

  test(
    "before a slot has claimed the job: the job never starts, and the slot takes the next job",
    withLocal(async (local) => {
      const backend = local.open();
      await local.run(backend, "true");
      // The keeper continues a stopped slot, and therefore is stopped too.
      const slots = [...(await local.helpers("keeper-process.ts")), ...(await knownSlots(local))];
      for (const slot of slots) signal(slot, "SIGSTOP");
      const job = local.request("echo ran > ran");
      await backend.submit(job);
      const end = await backend.cancel(job);
      expect(end).toMatchObject({ reason: "not-started", startedAtMs: null });
      for (const slot of slots) signal(slot, "SIGCONT");
      for (let turn = 0; turn < 8; turn += 1) await local.run(backend, "true");
      expect(ran(local, "ran")).toBe("");
      expect(await backend.submit(job)).toEqual({ status: "ended", end });
    }),
  );

  test(
    "between claim and start: cancel waits and then ends the job",
    withLocal(async (local) => {
      const backend = local.open();
      const job = local.request("echo ran > ran; sleep 1000");
      // Acts as a slot that has claimed the job and was held up: the process holds the record open, and the
      // job is its child.
      const folder = path.join(local.folder, job.id);
      const [record, signalled] = [path.join(folder, "record"), path.join(local.workspaceFolder, "signal")];
      const own = `trap 'echo term > ${signalled}; exit' TERM; while :; do sleep 0.05; done`;
      mkdirSync(folder);
      const slot = spawn("bash", [
        "-c",
        `exec 4>>${record}; setsid bash -c "$0" & echo $!; exec sleep 1000`,
        own,
      ]);
      const [group] = (await once(slot.stdout, "data")) as [Buffer];
      const born = readFileSync(`/proc/${slot.pid}/stat`, "utf8").split(") ")[1]!.split(" ")[19]!;
      appendFileSync(record, `\nclaimed ${slot.pid} ${born} ${BOOT_ID} 1700000000 - 0 0 .\n`);
      const cancelled = backend.cancel(job);
      expect(readRecord(folder)).toMatchObject({ mark: "cancelled", ended: undefined });
      await moment();
      appendFileSync(record, `\ngroup ${String(group).trim()} .\n`);
      expect(await local.written("signal")).toBe("term");
      appendFileSync(record, "\nended 143 1700000001 .\n");
      slot.kill("SIGKILL");
      expect(await cancelled).toMatchObject({ reason: "cancelled", exitCode: 143 });
      expect(ran(local, "ran")).toBe("");
    }),
  );

  test(
    "during the clean-up: the job has the grace period",
    withLocal(async (local) => {
      // A slow clock makes the result independent of the machine's speed: this test is not about the length
      // of the grace time.
      const clock = { ...systemClock, elapsedMs: () => systemClock.elapsedMs() / 100 };
      const backend = local.open({ clock });
      const job = local.request(
        "trap 'sleep 0.3; echo tidy > tidy; exit 0' TERM; echo up > up; while :; do sleep 0.05; done",
      );
      await backend.submit(job);
      await local.written("up");
      expect(await backend.cancel(job)).toMatchObject({ reason: "cancelled", exitCode: 0 });
      expect(ran(local, "tidy")).toBe("tidy\n");
    }),
  );

  test(
    "a job that ignores signals is killed",
    withLocal(async (local) => {
      const backend = local.open();
      const job = local.request("trap '' TERM INT HUP; echo up > up; while :; do sleep 0.05; done");
      await backend.submit(job);
      await local.written("up");
      expect(await backend.cancel(job)).toMatchObject({ reason: "cancelled", exitCode: 137 });
      expect(await processesOf([job.id])).toEqual([]);
    }),
  );

  test(
    "twice in parallel, and by two servers: all get the same end",
    withLocal(async (local) => {
      const [backend, other] = [local.open(), local.open()];
      const job = local.request("echo up > up; sleep 1000");
      await backend.submit(job);
      await local.written("up");
      const ends = await Promise.all([backend.cancel(job), backend.cancel(job), other.cancel(job)]);
      expect(ends[1]).toEqual(ends[0]);
      expect(ends[2]).toEqual(ends[0]);
      expect(ends[0].reason).toBe("cancelled");
    }),
  );

  test(
    "at any moment",
    withLocal(async (local) => {
      const backend = local.open();
      const ends = watchEnds(backend);
      for (let turn = 0; turn < 60; turn += 1) {
        const job = local.request(
          `echo ran >> ran-${turn}; ${turn % 3 === 0 ? "setsid sleep 1000 &" : "true;"} sleep 1000`,
        );
        const submitted = backend.submit(job);
        if (turn % 2 === 0) await submitted;
        await moment((turn % 12) / 2);
        const end = await backend.cancel(job);
        await submitted;
        expect(["cancelled", "not-started"]).toContain(end.reason);
        expect(await backend.submit(job)).toEqual({ status: "ended", end });
        if (end.reason === "cancelled") expect(await ends.of(job.id)).toEqual(end);
        expect(await processesOf([job.id])).toEqual([]);
        expect(["", "ran\n"]).toContain(ran(local, `ran-${turn}`));
        if (end.reason === "not-started") expect(ran(local, `ran-${turn}`)).toBe("");
      }
    }),
    30_000,
  );
});

function moment(ms = 1): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
