import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { watchEnds } from "#backends/backend-fixture";
import { type LocalFixture, processesOf, withLocal } from "#backends/local/local-fixture";
import { NO_BUBBLEWRAP } from "#backends/walls/sandbox-fixture";
import { openSandbox } from "#backends/walls/sandbox";
import type { Wall } from "#backends/walls/wall";
import { signal } from "#backends/process/table/process-table";
import { testUnless } from "#plumbing/needs-suite";

/** A job in the sandbox takes several times as long. */
const JOBS_MIN = { none: 300, bubblewrap: 60 } as const;
/**
 * Minimum number of each outcome. The timing of the kills depends on the machine, so the test continues until it has
 * seen enough.
 */
const OUTCOMES_MIN = 15;
const AT_ONCE = 6;

test(
  "supervisors killed at any moment lose jobs, but run none twice and leave nothing behind",
  withKilledSlots("none"),
);

testUnless(NO_BUBBLEWRAP)(
  "the same holds for the supervisors of jobs in the sandbox",
  withKilledSlots("bubblewrap"),
);

function withKilledSlots(kind: keyof typeof JOBS_MIN): () => Promise<void> {
  return withLocal(async (local) => {
    const wall = kind === "none" ? undefined : await wallOf(local.folder);
    const open = () => local.open({ wall });
    const backend = open();
    const ends = watchEnds(backend);
    const outcomes = { exited: 0, lost: 0 };
    let killing = true;
    const killer = killSlots(local, () => killing);
    const isEnough = () =>
      outcomes.exited + outcomes.lost >= JOBS_MIN[kind] &&
      Math.min(outcomes.exited, outcomes.lost) >= OUTCOMES_MIN;
    try {
      while (!isEnough()) {
        await Promise.all(
          Array.from({ length: AT_ONCE }, async () => {
            const job = local.request("echo $REPRISE_JOB_ID >> ran; (setsid sleep 0.02 &); sleep 0.01");
            await backend.submit(job);
            const end = await ends.of(job.id);
            // The killer may also hit the slot's reader of the job's output.
            expect(["exited", "lost", "output-lost"]).toContain(end.reason);
            if (end.reason !== "output-lost") outcomes[end.reason as "exited" | "lost"] += 1;
            expect(await open().submit(job)).toEqual({ status: "ended", end });
            if (end.reason === "lost") expect(await processesOf([job.id])).toEqual([]);
            expect(timesRun(local, job.id)).toBeLessThanOrEqual(1);
            // With another exit code, the killer has hit the job itself.
            if (end.exitCode === 0) expect(timesRun(local, job.id)).toBe(1);
          }),
        );
      }
    } finally {
      killing = false;
      await killer;
    }
  });
}

async function wallOf(folder: string): Promise<Wall> {
  const sandbox = await openSandbox(folder, { network: "on", mounts: [] });
  if (!("wall" in sandbox)) throw new Error(sandbox.problem);
  return sandbox.wall;
}

function timesRun(local: LocalFixture, id: string): number {
  const file = path.join(local.workspaceFolder, "ran");
  return existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line === id).length
    : 0;
}

async function killSlots(local: LocalFixture, isRunning: () => boolean): Promise<void> {
  for (let turn = 0; isRunning(); turn += 1) {
    const slots = await local.helpers("slot.sh");
    if (slots.length > 0) signal(slots[turn % slots.length]!, "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, 10 + (turn % 7) * 5));
  }
}
