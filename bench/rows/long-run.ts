import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { SERVER_FLAGS } from "../../tools/server-flags.js";
import { removeFolder, temporaryFolder } from "../support/server-process.ts";
import { atMost, type Row } from "../support/table.ts";

const MANY = 100_000;
const FEW = 1000;
const HALF = MANY / 2;

interface Told {
  readonly tookMs: number;
  readonly firstJobMs: number;
  readonly jobs: number;
  readonly peakMb: number;
}

/**
 * Measures a run with very many steps, without processes: the cost of the runner itself, and whether that cost grows.
 */
export async function longRun(): Promise<Row[]> {
  const few = await run("few", FEW);
  const many = await run("many", MANY);
  const perStep = (told: Told, steps: number) => told.tookMs / steps;
  const resumed = await runInTwoLives();
  const detail = `${perStep(many, MANY).toFixed(2)} against ${perStep(few, FEW).toFixed(2)} ms`;
  return [
    atMost(
      "a step in a run of 100,000",
      "of 1,000",
      perStep(many, MANY) / perStep(few, FEW),
      1.2,
      "×",
      detail,
    ),
    atMost("memory of a run of 100,000 steps", "–", many.peakMb, 300, "MB"),
    atMost("its restart in the middle, to the next job", "–", resumed.firstJobMs, 3000, "ms"),
  ];
}

async function run(name: string, steps: number): Promise<Told> {
  const folder = await temporaryFolder();
  const told = await host(path.join(folder, `${name}.sqlite`), steps);
  await removeFolder(folder);
  return told;
}

async function runInTwoLives(): Promise<Told> {
  const folder = await temporaryFolder();
  const file = path.join(folder, "two-lives.sqlite");
  await host(file, MANY, HALF).catch((error: { signal?: string }) => {
    if (error.signal !== "SIGKILL") throw error;
  });
  const told = await host(file, MANY);
  await removeFolder(folder);
  // The job at which the first process died is submitted again, because the backend has forgotten the job.
  if (told.jobs !== MANY - HALF) throw new Error(`The second life handed out ${told.jobs} jobs.`);
  return told;
}

async function host(file: string, steps: number, dieAfter?: number): Promise<Told> {
  const script = path.join(import.meta.dirname, "..", "hosts", "long-run.ts");
  // Use the flags of the server.
  const args = [
    ...SERVER_FLAGS,
    script,
    file,
    String(steps),
    ...(dieAfter === undefined ? [] : [String(dieAfter)]),
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as Told;
}
