import { inProcessRuntime } from "../../server/src/runner/engine/engine-runtime.ts";
import { backendsOf } from "../../server/src/backends/backends.ts";
import { serialEngine } from "../../server/src/engines/serial/serial-engine.ts";
import { systemClock } from "../../server/src/plumbing/clock.ts";
import { createScheduler } from "../../server/src/scheduler/scheduler.ts";
import { migrate } from "../../server/src/store/database/database.ts";
import { openSqlite } from "../../server/src/store/dialects/sqlite.ts";
import { maybeRun } from "../../server/src/store/runs/runs.ts";
import { endingAtOnce, queueRun, WORKSPACE } from "./ending-at-once.ts";

/**
 * `long-run.ts DATABASE STEPS [DIE-AFTER]`: runs a serial run with that many steps, whose jobs end as soon as they are
 * submitted, without processes: only the runner's own work remains. Prints the duration and the memory of the run as
 * JSON. With DIE-AFTER it dies of SIGKILL after that many jobs, and the next call resumes the run.
 */
const [file = "", steps = "0", dieAfter = "Infinity"] = process.argv.slice(2);
const RUN = "long-run";

const db = openSqlite(file, "normal");
await migrate(db);
if (!(await maybeRun(db, RUN))) {
  const each = Array.from({ length: Number(steps) }, () => ({ commands: ["true"] }));
  await queueRun(db, RUN, { type: "serial", specification: { steps: each } });
}

const beganAt = performance.now();
const fake = endingAtOnce(Number(dieAfter));
const scheduler = createScheduler({
  runner: {
    db,
    clock: systemClock,
    engines: new Map([["serial", inProcessRuntime(serialEngine)]]),
    backends: backendsOf([fake.backend]),
    workspaces: { of: () => WORKSPACE as never },
  },
  clock: systemClock,
  host: { id: "host", name: "host" },
  limits: { maxRunsAtOnce: 1, maxRunsPerUser: 1, capacity: { cores: 1, memoryBytes: 1 } },
  requestStop: async () => undefined,
  givenUpJobs: { end: async () => [] },
  log: { error: (details, message) => console.error(message, details) },
});
await scheduler.start();
while ((await maybeRun(db, RUN))?.status !== "finished") await new Promise((r) => setTimeout(r, 20));
const tookMs = performance.now() - beganAt;
const firstJobMs = fake.firstJobAtMs()! - beganAt;
await scheduler.close({ stopJobs: false });
await db.destroy();
const peakMb = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ tookMs, firstJobMs, jobs: fake.jobs(), peakMb }));
