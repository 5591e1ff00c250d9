import { ratioInTurns } from "../support/rounds.ts";
import { removeFolder, startBare, startReprise, temporaryFolder } from "../support/server-process.ts";
import { atLeast, type Row } from "../support/table.ts";
import { wrk } from "../support/wrk.ts";

export async function ping(): Promise<Row[]> {
  const folder = await temporaryFolder();
  const reprise = await startReprise(folder);
  const bare = await startBare("ping");
  const of = (url: string) => async () => (await wrk(`${url}/api/ping`)).requestsPerSecond;
  const { ratio, detail } = await ratioInTurns(of(reprise.url), of(bare.url));
  await Promise.all([reprise.stop(), bare.stop()]);
  await removeFolder(folder);
  return [atLeast("ping, requests/s", "bare Fastify with the same JSON", ratio, 0.8, detail)];
}
