import { inProcessRuntime } from "../../server/src/runner/engine/engine-runtime.ts";
import type { Backend } from "../../server/src/backends/backend.ts";
import { backendsOf } from "../../server/src/backends/backends.ts";
import { serialEngine } from "../../server/src/engines/serial/serial-engine.ts";
import { systemClock } from "../../server/src/plumbing/clock.ts";
import { createScheduler } from "../../server/src/scheduler/scheduler.ts";
import { migrate, transaction } from "../../server/src/store/database/database.ts";
import { openSqlite } from "../../server/src/store/dialects/sqlite.ts";
import { insertRunEvent } from "../../server/src/store/events/run-events.ts";
import { insertUser } from "../../server/src/store/users/users.ts";
import { moveRun } from "../../server/src/store/runs/move-run.ts";
import { insertRun, maybeRun } from "../../server/src/store/runs/runs.ts";

/**
 * `long-run.ts DATABASE STEPS [DIE-AFTER]`: runs a serial run with that many steps, whose jobs end as soon as they are
 * submitted, without processes: only the runner's own work remains. Prints the duration and the memory of the run as
 * JSON. With DIE-AFTER it dies of SIGKILL after that many jobs, and the next call resumes the run.
 */
const [file = "", steps = "0", dieAfter = "Infinity"] = process.argv.slice(2);
const RUN = "long-run";

const db = openSqlite(file, "normal");
await migrate(db);
if (!(await maybeRun(db, RUN))) await queueRun(Number(steps));

const beganAt = performance.now();
let firstJobMs: number | undefined;
let jobs = 0;
const scheduler = createScheduler({
  runner: {
    db,
    clock: systemClock,
    engines: new Map([["serial", inProcessRuntime(serialEngine)]]),
    backends: backendsOf([endingAtOnce()]),
    workspaces: {
      of: () =>
        ({
          folder: "/nowhere",
          create: async () => undefined,
          maybeStamps: async () => ({ stamps: {}, newestMs: 0 }),
          endStaging: async () => undefined,
        }) as never,
    },
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
await scheduler.close({ stopJobs: false });
await db.destroy();
const peakMb = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ tookMs, firstJobMs, jobs, peakMb }));

async function queueRun(count: number): Promise<void> {
  const user = { id: "user", email: "a@b.c", isAdmin: false, disabledAtMs: null, createdAtMs: 0 };
  await insertUser(db, user);
  const specification = {
    workflow: {
      type: "serial" as const,
      specification: { steps: Array.from({ length: count }, () => ({ commands: ["true"] })) },
    },
  };
  const ids = { id: RUN, ownerId: user.id, workspaceId: "workspace" };
  const run = { ...ids, name: "long", language: "serial" as const, specification, launcherUrl: null };
  await transaction(db, async (connection) => {
    await insertRun(connection, { ...run, createdAtMs: 0 });
    await moveRun(connection, { runId: RUN, to: "queued", by: "user", atMs: 0 });
    await insertRunEvent(connection, RUN, { seq: 0, kind: "start", body: {}, log: "", atMs: 0 });
  });
}

function endingAtOnce(): Backend {
  const end = { reason: "exited", exitCode: 0, startedAtMs: 1, endedAtMs: 2 } as const;
  const listeners = new Set<Parameters<Backend["watch"]>[0]>();
  return {
    name: "Fake",
    isHostBound: false,
    capabilities: { computeBackends: ["fake"], provides: [] },
    hostToken: "host",
    async submit({ id }) {
      jobs += 1;
      firstJobMs ??= performance.now() - beganAt;
      if (jobs > Number(dieAfter)) process.kill(process.pid, "SIGKILL");
      setImmediate(() => listeners.forEach((listener) => listener(id, { status: "ended", end })));
      return { status: "running" };
    },
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    cancel: async () => end,
    readLog: async () => Buffer.alloc(0),
    logSize: async () => 0,
    endLeftovers: async () => undefined,
    remove: async () => undefined,
    away: () => undefined,
    export: async () => [],
    close: async () => undefined,
    runningJobs: () => 0,
  };
}
