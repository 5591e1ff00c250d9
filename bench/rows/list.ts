import path from "node:path";
import { ratioInTurns } from "../support/rounds.ts";
import { seedRuns, shareRuns } from "../support/seed.ts";
import { removeFolder, startBare, startReprise, temporaryFolder, TOKEN } from "../support/server-process.ts";
import { atLeast, atMost, type Row } from "../support/table.ts";
import { wrk } from "../support/wrk.ts";

const QUERY = `/api/workflows?page=1&size=20&access_token=${TOKEN}`;
const SHARED_QUERY = `${QUERY}&shared=true`;

/** Makes the data folder of a real server with this many finished workflows. */
async function seeded(count: number): Promise<string> {
  const folder = await temporaryFolder();
  await (await startReprise(folder)).stop();
  seedRuns(folder, count);
  return folder;
}

export async function list(): Promise<Row[]> {
  const many = await seeded(100_000);
  const few = await seeded(1000);
  const ours = await startReprise(many);
  const oursFew = await startReprise(few);
  const bare = await startBare("list", [path.join(many, "reprise.sqlite")]);
  const speed = (url: string) => async () => (await wrk(url + QUERY)).requestsPerSecond;
  const p50 =
    (url: string, query = QUERY) =>
    async () =>
      (await wrk(url + query)).p50Ms;
  const { ratio, detail } = await ratioInTurns(speed(ours.url), speed(bare.url));
  const growth = await ratioInTurns(p50(ours.url), p50(oursFew.url));
  await Promise.all([oursFew.stop(), bare.stop()]);
  const withShared = await seeded(100_000);
  shareRuns(withShared);
  const sharing = await startReprise(withShared);
  const shared = await ratioInTurns(p50(sharing.url, SHARED_QUERY), p50(ours.url));
  await Promise.all([ours.stop(), sharing.stop()]);
  await Promise.all([many, few, withShared].map(removeFolder));
  return [
    atLeast("list of 20 out of 100,000, requests/s", "bare node:http, same look-ups", ratio, 0.6, detail),
    atMost("list of 20: p50 at 100,000 stored", "p50 at 1,000", growth.ratio, 1.2, "×"),
    atMost(
      "list of 20, 1,000 of 100,000 shared with the user: p50",
      "p50 of own runs",
      shared.ratio,
      1.5,
      "×",
    ),
  ];
}
