import path from "node:path";
import { chainOfCopies } from "../support/cwl-documents.ts";
import { engineMs, processorMs } from "../support/processor-time.ts";
import { ratioOfBest } from "../support/rounds.ts";
import { type Runs, runsOf, severalAtOnce, startRuns } from "../support/runs.ts";
import {
  type RepriseProcess,
  removeFolder,
  startBare,
  startReprise,
  temporaryFolder,
} from "../support/server-process.ts";
import { atMost, type Row, shown } from "../support/table.ts";
import { MEMORY_DISK } from "./chain.ts";

const RUNS = 500;
const JOBS = 1000;
const STEPS = 50;
const REQUESTS = 3000;
const REFERENCE = "a request to bare Fastify, one SQLite insert";
/** 2.5 ms where the reference takes 0.17 ms. */
const MAX_OF_RUN = 14.5;
/** 1.2 ms there. */
const MAX_OF_JOB = 7;

type Measure = () => Promise<number>;

/**
 * Measures the processor time of the server's process. It does not depend on the number of cores. A busy machine slows
 * the caches down for both sides, so the reference is the processor time of another server on the same machine.
 */
export async function processorTime(): Promise<Row[]> {
  const folder = await temporaryFolder(MEMORY_DISK);
  const server = await startReprise(path.join(folder, "data"));
  const bare = await startBare("create", [path.join(folder, "bare.sqlite")]);
  const client = runsOf({ url: bare.url, dataFolder: folder });
  const request = each(bare.pid, REQUESTS, () => severalAtOnce(REQUESTS, () => client.create(["true"])));
  const rows = await rowsOf(server, request);
  await Promise.all([server.stop(), bare.stop()]);
  await removeFolder(folder);
  return rows;
}

async function rowsOf(server: RepriseProcess, request: Measure): Promise<Row[]> {
  const runs = runsOf(server);
  let finished = 0;
  const reach = (count: number) => runs.reach("finished", (finished += count));
  const run = each(server.pid, RUNS, async () => {
    await startRuns(server, RUNS, ["true"]);
    await reach(RUNS);
  });
  const job = each(server.pid, JOBS, async () => {
    await runs.start(await runs.create(Array.from({ length: JOBS }, () => "true")));
    await reach(1);
  });
  const ofRun = await ratioOfBest(run, request, { digits: 3 });
  const ofJob = await ratioOfBest(job, request, { digits: 3 });
  const what = "processor time of the server for";
  return [
    atMost(`${what} a run of \`true\`, ms`, REFERENCE, ofRun.ratio, MAX_OF_RUN, "×", ofRun.detail),
    atMost(`${what} a job \`true\` of a chain, ms`, REFERENCE, ofJob.ratio, MAX_OF_JOB, "×", ofJob.detail),
    ...(await rowsOfCwl(server, runs, reach, request)),
  ];
}

/** Measures a chain of CWL, whose engine has a separate process. */
async function rowsOfCwl(
  server: RepriseProcess,
  runs: Runs,
  reach: (count: number) => Promise<void>,
  request: Measure,
): Promise<Row[]> {
  const specification = chainOfCopies(STEPS);
  const chain = async () => {
    await runs.start(await runs.createFrom({ type: "cwl", specification }));
    await reach(1);
  };
  const ofServer = await ratioOfBest(each(server.pid, STEPS, chain), request, { digits: 3 });
  // The process ends ten seconds after its last run. The first round, which is dropped, starts a new process.
  const engine = eachOf(() => engineMs(server.pid), STEPS, chain);
  const ofEngine = await ratioOfBest(engine, request, { digits: 3 });
  const what = `processor time for a job of a CWL chain of ${STEPS}, ms`;
  return [
    shown(`${what}: the server`, REFERENCE, ofServer.ratio, ofServer.detail),
    shown(`${what}: its engine's process`, REFERENCE, ofEngine.ratio, ofEngine.detail),
  ];
}

/** Returns a measurement of the processor time that a process uses for each of `count` units of `work`. */
function each(pid: number, count: number, work: () => Promise<void>): Measure {
  return eachOf(() => processorMs(pid), count, work);
}

function eachOf(usedMs: () => number, count: number, work: () => Promise<void>): Measure {
  return async () => {
    const before = usedMs();
    await work();
    return (usedMs() - before) / count;
  };
}
