import { execFileSync } from "node:child_process";
import { cp } from "node:fs/promises";
import path from "node:path";
import { buildPackage } from "../support/built.ts";
import { ratioInTurns } from "../support/rounds.ts";
import { removeFolder, temporaryFolder } from "../support/server-process.ts";
import { atMost, type Row } from "../support/table.ts";

const ROOT = path.join(import.meta.dirname, "..", "..");
const ROUNDS = 15;
/** An idle Node takes about 40 ms: the ratio accounts for the machine. */
const MAX_RATIO = 10;

/** Measures the whole command of the package, from the shell's point of view, on an existing data folder. */
export async function runHello(): Promise<Row[]> {
  const folder = await temporaryFolder();
  await cp(path.join(ROOT, "examples", "hello"), path.join(folder, "hello"), { recursive: true });
  const program = await buildPackage(folder);
  const args = [program, "run", path.join(folder, "hello"), "--data", path.join(folder, "data")];
  // Compiled code is cached there: the benchmark measures every run of the command after the first. Hello names an image,
  // which a machine with a container runtime would pull.
  const env = { ...process.env, XDG_CACHE_HOME: path.join(folder, "cache"), REPRISE_CONTAINERS: "none" };
  const once = () => execFileSync(process.execPath, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  const nothing = () => execFileSync(process.execPath, ["-e", "0"], { stdio: "ignore" });
  const { ratio, detail } = await ratioInTurns(timeOf(once), timeOf(nothing), ROUNDS);
  await removeFolder(folder);
  return [
    atMost("`reprise run` of hello, the whole command, ms", "`node -e 0`", ratio, MAX_RATIO, "×", detail),
  ];
}

function timeOf(work: () => unknown): () => Promise<number> {
  return async () => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  };
}
