import { backendsOf } from "../../server/src/backends/backends.ts";
import { systemClock } from "../../server/src/plumbing/clock.ts";
import type { EngineRuntime } from "../../server/src/runner/engine/engine-runtime.ts";
import { createBackendGates } from "../../server/src/runner/jobs/backend-gates.ts";
import { createScheduler } from "../../server/src/scheduler/scheduler.ts";
import type { Connection } from "../../server/src/store/database/database.ts";
import { maybeRun } from "../../server/src/store/runs/runs.ts";
import type { Language } from "../../server/src/workflow/language.ts";
import { endingAtOnce, WORKSPACE } from "./ending-at-once.ts";

interface Drive {
  readonly run: string;
  readonly engines: ReadonlyMap<Language, EngineRuntime>;
  readonly cores: number;
  /** Number of jobs after which the process dies of SIGKILL. */
  readonly dieAfter: number;
}

/** Drives a queued run to its end. Its jobs end immediately after submission. */
export async function drive(db: Connection, { run, engines, cores, dieAfter }: Drive) {
  const beganAt = performance.now();
  const fake = endingAtOnce(dieAfter);
  const scheduler = createScheduler({
    runner: {
      db,
      clock: systemClock,
      engines,
      backends: backendsOf([fake.backend]),
      gates: createBackendGates(systemClock),
      workspaces: { of: () => WORKSPACE as never },
    },
    clock: systemClock,
    host: { id: "host", name: "host" },
    limits: { maxRunsAtOnce: 1, maxRunsPerUser: 1, capacity: { cores, memoryBytes: 1 } },
    requestStop: async () => undefined,
    givenUpJobs: { end: async () => [] },
    log: { error: endWith },
  });
  await scheduler.start();
  while ((await maybeRun(db, run))?.status !== "finished") await new Promise((r) => setTimeout(r, 20));
  const tookMs = performance.now() - beganAt;
  const firstJobMs = fake.firstJobAtMs()! - beganAt;
  await scheduler.close({ stopJobs: false });
  return { scheduler, tookMs, firstJobMs, jobs: fake.jobs() };
}

/** Ends this process: the run would be tried again for ever, and the measurement would never end. */
function endWith(details: object, message: string): never {
  console.error(message, details);
  process.exit(1);
}
