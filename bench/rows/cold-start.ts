import { removeFolder, startReprise, temporaryFolder } from "../support/server-process.ts";
import { atMost, median, type Row } from "../support/table.ts";

const ROUNDS = 5;

/** From starting the process to the first 200, on a data folder that is there already. */
export async function coldStart(): Promise<Row[]> {
  const folder = await temporaryFolder();
  await (await startReprise(folder)).stop();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now();
    const server = await startReprise(folder);
    const response = await fetch(`${server.url}/api/ping`);
    if (response.status !== 200) throw new Error(`The first answer was ${response.status}.`);
    times.push(performance.now() - began);
    await server.stop();
  }
  await removeFolder(folder);
  return [atMost("cold start to the first 200", "–", median(times), 1000, "ms")];
}
