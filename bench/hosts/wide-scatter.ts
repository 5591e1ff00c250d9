import { monitorEventLoopDelay } from "node:perf_hooks";
import { getGraph } from "../../server/src/operations/watch/progress/get-graph.ts";
import { getStatus } from "../../server/src/operations/watch/get-status.ts";
import { JobStateCache } from "../../server/src/operations/watch/progress/job-state-cache.ts";
import { listJobs } from "../../server/src/operations/watch/list-jobs.ts";
import { RunGraphs } from "../../server/src/operations/watch/progress/run-graphs.ts";
import { workerRuntime } from "../../server/src/runner/engine/worker-runtime.ts";
import { systemClock } from "../../server/src/plumbing/clock.ts";
import { migrate } from "../../server/src/store/database/database.ts";
import { openPostgres } from "../../server/src/store/dialects/postgres.ts";
import { openSqlite } from "../../server/src/store/dialects/sqlite.ts";
import { maybeRun, setStartOptions } from "../../server/src/store/runs/runs.ts";
import { drive } from "./drive.ts";
import { queueRun, RUN_NAME, WORKSPACE } from "./ending-at-once.ts";
import { scatteredWorkflow } from "./scattered-workflow.ts";

/**
 * `wide-scatter.ts DATABASE LANGUAGE WIDTH [DIE-AFTER]`: runs a scatter of the given width. Its engine has a
 * separate process; its jobs end immediately after submission, with one file each. Prints as JSON the
 * duration, the memory of this process, the longest pause of its event loop, and the cost of looking at the
 * run. With DIE-AFTER, the process dies of SIGKILL after that many jobs, and the next call resumes the run.
 * DATABASE is a file or the address of a PostgreSQL database.
 */
const [file = "", language = "", width = "0", dieAfter = "Infinity"] = process.argv.slice(2);
const RUN = "wide-scatter";
const LOOKS = 60;

const db = file.includes("://") ? openPostgres(file) : openSqlite(file, "normal");
await migrate(db);
const { workflow, module, model } = scatteredWorkflow(language, Number(width));
if (!(await maybeRun(db, RUN))) {
  await queueRun(db, RUN, workflow);
  if (model) await setStartOptions(db, RUN, {}, {}, { model });
}

const runtime = workerRuntime({ module });
const runtimes = new Map([[workflow.type, runtime]]);
const loop = monitorEventLoopDelay({ resolution: 5 });
loop.enable();
const { scheduler, ...told } = await drive(db, {
  run: RUN,
  engines: runtimes,
  cores: 1000,
  dieAfter: Number(dieAfter),
});
const maxStallMs = loop.max / 1e6;
loop.disable();
const looks = await lookAt();
await db.destroy();
const peakMb = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ ...told, peakMb, maxStallMs, looks }));
// A process of the engine is kept for a while for the next run.
process.exit(0);

/** Measures the median time of each look at the run. */
async function lookAt() {
  const workspaces = { of: () => WORKSPACE as never };
  const context = {
    db,
    clock: systemClock,
    jobLogs: { read: async () => Buffer.alloc(0), size: async () => 0, remove: async () => undefined },
    secrets: { mask: async () => ({ reach: 0, apply: (bytes: Buffer) => bytes }) } as never,
    jobStateCache: new JobStateCache(db),
    workspaces: { of: () => ({ folder: "/workspace" }) } as never,
    graphs: new RunGraphs({ db, workspaces }, runtimes),
    limits: { maxLogBytesInReply: 1, maxRunsAtOnce: 1, cores: 1 },
    scheduler,
  };
  const caller = { id: "user", email: "a@b.c", isAdmin: false };
  const page = { page: 1, size: 100, newestFirst: false, filter: {} };
  return {
    status: await medianMs(() => getStatus(context, caller, RUN_NAME)),
    picture: await medianMs(() => getGraph(context, caller, RUN_NAME)),
    jobs: await medianMs(() => listJobs(context, caller, RUN_NAME, page)),
  };
}

async function medianMs(look: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < LOOKS; count += 1) {
    const at = performance.now();
    JSON.stringify(await look());
    times.push(performance.now() - at);
  }
  return times.toSorted((one, other) => one - other)[LOOKS / 2]!;
}
