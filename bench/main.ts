import { chain } from "./rows/chain.ts";
import { coldStart } from "./rows/cold-start.ts";
import { containers } from "./rows/containers.ts";
import { crate } from "./rows/crate.ts";
import { create, createAtFull } from "./rows/create.ts";
import { diff } from "./rows/diff.ts";
import { expressions } from "./rows/expressions.ts";
import { fairness } from "./rows/fairness.ts";
import { following } from "./rows/following.ts";
import { importReana } from "./rows/import-reana.ts";
import { jobsInFlight } from "./rows/jobs-in-flight.ts";
import { kubernetes } from "./rows/kubernetes.ts";
import { list } from "./rows/list.ts";
import { longRun } from "./rows/long-run.ts";
import { manyFiles } from "./rows/many-files.ts";
import { manyRuns } from "./rows/many-runs.ts";
import { memoryLimit } from "./rows/memory-limit.ts";
import { metrics } from "./rows/metrics.ts";
import { memory } from "./rows/memory.ts";
import { openPages } from "./rows/open-pages.ts";
import { origin, originIndex } from "./rows/origin.ts";
import { ping } from "./rows/ping.ts";
import { processorTime } from "./rows/processor-time.ts";
import { queuedRuns } from "./rows/queued-runs.ts";
import { requestTimes } from "./rows/request-times.ts";
import { runHello } from "./rows/run-hello.ts";
import { sandbox } from "./rows/sandbox.ts";
import { signIn } from "./rows/sign-in.ts";
import { severalServers } from "./rows/several-servers.ts";
import { slurm } from "./rows/slurm.ts";
import { staging } from "./rows/staging.ts";
import { startLatency } from "./rows/start-latency.ts";
import { transfer } from "./rows/transfer.ts";
import { verify } from "./rows/verify.ts";
import { webPage } from "./rows/web-page.ts";
import { objectStore } from "./rows/object-store.ts";
import { onPostgres, wideScatter, yadageScatter } from "./rows/wide-scatter.ts";
import { endLeftovers } from "./support/server-process.ts";
import { failed, keepInHistory, keepSoFar, print, type Row } from "./support/table.ts";

/**
 * The performance promises, each measured against a reference in the same run: the machines are noisy, so only ratios
 * mean anything. `npm run bench` runs all, `npm run bench -- list create` some. Each row is printed and saved as soon
 * as it is measured. A bound that does not hold, or a measurement that fails, makes the exit code 1.
 */
const MEASUREMENTS: Record<string, () => Promise<Row[]>> = {
  ping,
  list,
  create,
  "create-at-full": createAtFull,
  transfer,
  "request-times": requestTimes,
  chain,
  "processor-time": processorTime,
  sandbox,
  containers,
  "queued-runs": queuedRuns,
  "start-latency": startLatency,
  memory,
  "memory-limit": memoryLimit,
  metrics,
  "cold-start": coldStart,
  "run-hello": runHello,
  "many-runs": manyRuns,
  "long-run": longRun,
  "wide-scatter": wideScatter,
  "yadage-scatter": yadageScatter,
  "on-postgres": onPostgres,
  following,
  "open-pages": openPages,
  "many-files": manyFiles,
  "object-store": objectStore,
  diff,
  expressions,
  crate,
  origin,
  "origin-index": originIndex,
  verify,
  fairness,
  staging,
  slurm,
  kubernetes,
  "jobs-in-flight": jobsInFlight,
  "sign-in": signIn,
  "import-reana": importReana,
  "several-servers": severalServers,
  "web-page": webPage,
};

/** Names for several measurements together. */
const GROUPS: Record<string, readonly string[]> = {
  jobs: ["chain", "processor-time", "queued-runs", "start-latency"],
};

const asked = process.argv.slice(2).flatMap((name) => GROUPS[name] ?? name);
const unknown = asked.filter((name) => !(name in MEASUREMENTS));
if (unknown.length > 0) {
  console.error(
    `No measurement is called ${unknown.join(", ")}. There are: ${[...Object.keys(MEASUREMENTS), ...Object.keys(GROUPS)].join(", ")}.`,
  );
  process.exit(2);
}
const chosen = Object.entries(MEASUREMENTS).filter(([name]) => asked.length === 0 || asked.includes(name));
const when = new Date();
const rows: Row[] = [];
for (const [index, [name, measure]] of chosen.entries()) {
  console.error(`measuring ${name} …`);
  const measured = await measure().catch((error: unknown) => [failed(name, error)]);
  endLeftovers();
  print(measured, { withHead: rows.length === 0 });
  rows.push(...measured);
  if (asked.length === 0) await keepSoFar(rows, { when, done: index + 1, of: chosen.length });
}
if (asked.length === 0) await keepInHistory(rows, when);
process.exitCode = rows.every((row) => row.holds) ? 0 : 1;
