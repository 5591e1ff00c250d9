import { execFileSync } from "node:child_process";
import { ratioInTurns } from "../support/rounds.ts";
import { removeFolder, startBare, startReprise, temporaryFolder, TOKEN } from "../support/server-process.ts";
import { atLeast, type Row } from "../support/table.ts";
import { createRun, download, upload } from "../support/transfer.ts";

const GIB = 2 ** 30;

export async function transfer(): Promise<Row[]> {
  const folder = await temporaryFolder();
  const bareFolder = await temporaryFolder();
  const ours = await startReprise(folder);
  const bare = await startBare("transfer", [bareFolder]);
  const up = await ratioInTurns(
    async () => {
      const run = await createRun(ours.url, TOKEN);
      const target = `${ours.url}/api/workflows/${run}/workspace?file_name=big.bin&access_token=${TOKEN}`;
      const speed = await megabytesPerSecond(() => upload(target, GIB));
      await fetch(`${ours.url}/api/workflows/${run}/status?status=deleted&access_token=${TOKEN}`, {
        method: "PUT",
      });
      return speed;
    },
    async () => {
      const speed = await megabytesPerSecond(() => upload(`${bare.url}/big.bin`, GIB));
      await fetch(`${bare.url}/big.bin`, { method: "DELETE" });
      return speed;
    },
  );
  const run = await createRun(ours.url, TOKEN);
  const workspace = `${ours.url}/api/workflows/${run}/workspace`;
  await upload(`${workspace}?file_name=big.bin&access_token=${TOKEN}`, GIB);
  await upload(`${bare.url}/big.bin`, GIB);
  const down = await ratioInTurns(
    () => megabytesPerSecond(() => download(`${workspace}/big.bin?access_token=${TOKEN}`)),
    () => megabytesPerSecond(() => download(`${bare.url}/big.bin`)),
  );
  await Promise.all([ours.stop(), bare.stop()]);
  await Promise.all([removeFolder(folder), removeFolder(bareFolder)]);
  return [
    atLeast("upload 1 GiB, MB/s", "bare node:http to the same disk", up.ratio, 0.8, up.detail),
    atLeast("download 1 GiB, MB/s", "bare node:http from the same disk", down.ratio, 0.8, down.detail),
  ];
}

/**
 * Returns the speed of a transfer. Syncs first, so that leftover writes of earlier rounds do not slow it
 * down.
 */
async function megabytesPerSecond(move: () => Promise<unknown>): Promise<number> {
  execFileSync("sync");
  const began = performance.now();
  await move();
  return GIB / 1e6 / ((performance.now() - began) / 1000);
}
