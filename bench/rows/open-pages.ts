import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { requestTimes } from "../support/request-times.ts";
import { ratioInTurns } from "../support/rounds.ts";
import { runsOf } from "../support/runs.ts";
import { removeFolder, startReprise, temporaryFolder, TOKEN } from "../support/server-process.ts";
import { atMost, type Row } from "../support/table.ts";

const PAGES = 200;
const REQUESTS = 1000;
/** More jobs than can end during the measurement. */
const JOBS = 10_000;
/**
 * The pages send requests from a separate process, so that reading the responses does not delay the measured
 * requests.
 */
const OPENER = path.join(import.meta.dirname, "..", "hosts", "open-pages.ts");

/** Measures the duration of a list request while many people look at one run with constantly ending jobs. */
export async function openPages(): Promise<Row[]> {
  const folder = await temporaryFolder();
  const server = await startReprise(folder, { settings: ["--cores", "2"] });
  const runs = runsOf(server);
  const run = await runs.create(Array.from({ length: JOBS }, () => "sleep 0.2"));
  await runs.start(run);
  await runs.reach("running", 1);
  const list = `${server.url}/api/workflows?page=1&size=20&access_token=${TOKEN}`;
  const p99With = (count: number) => async () => {
    const args = [OPENER, String(count), `${server.url}/api/workflows/${run}`, TOKEN];
    const pages = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    await once(pages.stdout, "data");
    const { p99 } = await requestTimes(list, REQUESTS);
    const exited = once(pages, "exit");
    pages.kill();
    await exited;
    return p99;
  };
  const { ratio, detail } = await ratioInTurns(p99With(PAGES), p99With(1));
  await server.kill();
  await removeFolder(folder);
  return [
    atMost(
      `the page: p99 of a list with ${PAGES} open pages on one live run`,
      "1 page",
      ratio,
      2,
      "×",
      detail,
    ),
  ];
}
