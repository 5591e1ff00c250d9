import path from "node:path";
import { ECHO, scatterOfExpressions } from "../support/cwl-documents.ts";
import { type Runs, runsOf, untilRuns } from "../support/runs.ts";
import {
  type RepriseProcess,
  removeFolder,
  startReprise,
  temporaryFolder,
  TOKEN,
} from "../support/server-process.ts";
import { atMost, median, type Row } from "../support/table.ts";
import { MEMORY_DISK } from "./chain.ts";

const ROUNDS = 5;
const QUEUED = "status = 'queued'";
const GREEDY_RUNS = 60;
const EXPRESSIONS = 40;
const LONG = "${ var sum = 0; for (var n = 0; n < 3000000; n++) sum += n; return sum % 1000; }";

/** Measures a trivial run of one user while the expressions of another user's runs keep the processors busy. */
export async function fairness(): Promise<Row[]> {
  const folder = await temporaryFolder(MEMORY_DISK);
  const server = await startReprise(path.join(folder, "data"), {
    settings: ["--max-runs", `${GREEDY_RUNS}`],
  });
  try {
    const modest = runsOf(server, await tokenOfNewUser(server));
    await trivialRunMs(server, modest);
    const alone = await medianMs(server, modest);
    await startGreedyRuns(server);
    const beside = await medianMs(server, modest);
    // Checks that the greedy runs lasted until the end.
    await untilRuns(server.dataFolder, QUEUED, 1);
    const what = `a trivial CWL run beside ${GREEDY_RUNS} of another user, of ${EXPRESSIONS} long expressions each`;
    const detail = `${beside.toFixed(0)} against ${alone.toFixed(0)} ms`;
    return [atMost(what, "the run alone", beside / alone, 5, "×", detail)];
  } finally {
    await server.kill();
    await removeFolder(folder);
  }
}

async function tokenOfNewUser({ url }: RepriseProcess): Promise<string> {
  const response = await fetch(`${url}/api/users?access_token=${TOKEN}&email=modest@example.org`, {
    method: "POST",
  });
  if (!response.ok) throw new Error(`The creation of a user was answered with ${await response.text()}`);
  return ((await response.json()) as { access_token: string }).access_token;
}

/** Starts the runs, and resolves when the engine has begun to work for some. */
async function startGreedyRuns(server: RepriseProcess): Promise<void> {
  const greedy = runsOf(server);
  const workflow = { type: "cwl", specification: scatterOfExpressions(EXPRESSIONS, LONG) };
  for (let run = 0; run < GREEDY_RUNS; run += 1) await greedy.start(await greedy.createFrom(workflow));
  await untilRuns(server.dataFolder, QUEUED, 1);
}

async function medianMs(server: RepriseProcess, runs: Runs): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await trivialRunMs(server, runs));
  return median(times);
}

async function trivialRunMs({ dataFolder }: RepriseProcess, runs: Runs): Promise<number> {
  const run = await runs.createFrom({ type: "cwl", specification: ECHO });
  const beganAt = performance.now();
  await runs.start(run);
  await untilRuns(dataFolder, `id = '${run}' AND status = 'finished'`, 1);
  return performance.now() - beganAt;
}
