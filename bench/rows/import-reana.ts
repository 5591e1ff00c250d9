import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { startPostgresServer } from "../../server/src/store/dialects/postgres-server-suite.ts";
import { addRuns, makeReana } from "../../server/test/server/reana-fixture.ts";
import { SERVER_FLAGS } from "../../tools/server-flags.js";
import { peakMemoryMb, PROGRAM, removeFolder, temporaryFolder } from "../support/server-process.ts";
import { atMost, type Row } from "../support/table.ts";

const RUNS = 100_000;
const LOOK_MS = 200;

/** Imports 100,000 runs with three jobs each from a database with the tables of REANA. */
export async function importReana(): Promise<Row[]> {
  const folder = await temporaryFolder();
  const server = await startPostgresServer();
  try {
    await makeReana(server.url(), path.join(folder, "volume"));
    await addRuns(server.url(), RUNS);
    const { minutes, peakMb } = await imported(server.url(), path.join(folder, "data"));
    return [
      atMost("import of 100,000 runs of REANA", "–", minutes, 10, "min"),
      atMost("memory of that import", "–", peakMb, 300, "MB"),
    ];
  } finally {
    await server.remove();
    await removeFolder(folder);
  }
}

async function imported(database: string, dataFolder: string) {
  const beganMs = performance.now();
  const args = [...SERVER_FLAGS, PROGRAM, "import-reana", database, "--data", dataFolder];
  const child = spawn(process.execPath, args, { stdio: "ignore" });
  const exited = once(child, "exit") as Promise<[number | null]>;
  let peakMb = 0;
  const look = async () => {
    // The process may have ended.
    peakMb = Math.max(peakMb, await peakMemoryMb(child.pid!).catch(() => 0));
  };
  const timer = setInterval(() => void look(), LOOK_MS);
  const [code] = await exited;
  clearInterval(timer);
  if (code !== 0) throw new Error(`The import ended with ${code}.`);
  return { minutes: (performance.now() - beganMs) / 60_000, peakMb };
}
