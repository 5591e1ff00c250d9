import path from "node:path";
import { seedRuns } from "../support/seed.ts";
import { removeFolder, startReprise, temporaryFolder, TOKEN } from "../support/server-process.ts";
import { atMost, type Row } from "../support/table.ts";
import { requestTimes } from "../support/request-times.ts";

const STORED = 100_000;
const READINGS = 100;

/** Measures how long Prometheus waits for the metrics of a server with many stored runs. */
export async function metrics(): Promise<Row[]> {
  const folder = await temporaryFolder();
  const data = path.join(folder, "data");
  await (await startReprise(data)).stop();
  seedRuns(data, STORED);
  const server = await startReprise(data);
  const { p50, p99 } = await requestTimes(`${server.url}/metrics?access_token=${TOKEN}`, READINGS);
  await server.stop();
  await removeFolder(folder);
  return [atMost("`/metrics` with 100,000 runs", "–", p50, 20, "ms", `p99 ${p99.toFixed(1)} ms`)];
}
