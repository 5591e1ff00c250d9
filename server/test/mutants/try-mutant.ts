import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { tryWorldsIn } from "../simulation/many-worlds.ts";
import type { WorldsReport } from "../simulation/run-worlds.ts";
import type { Mutant } from "./mutant.ts";

const BREAK_FIRST = ["--import", path.join(import.meta.dirname, "apply-mutant.ts")];
const SCENARIOS = path.join(import.meta.dirname, "try-scenarios.ts");

/** Returns arguments and environment of a Node process with modules broken before the program is loaded. */
function brokenBy({ name }: Mutant) {
  return { nodeFlags: BREAK_FIRST, environment: { REPRISE_MUTANT: name } };
}

/** Tries at most `worldsMax` worlds, until one catches the mutant. */
export function caughtByWorlds(
  mutant: Mutant,
  worldsMax: number,
  signal: AbortSignal,
): Promise<WorldsReport> {
  return tryWorldsIn(signal, ["--first=1", `--count=${worldsMax}`, "--until-failure"], brokenBy(mutant));
}

/** Returns the first failing scenario with the reason; undefined if every scenario holds. */
export async function caughtByScenarios(mutant: Mutant | undefined): Promise<string | undefined> {
  // Holds the temporary folders of the scenarios, because a process that has caught something exits without cleanup.
  const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-mutant-"));
  try {
    return await tryScenarios(mutant, folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function tryScenarios(mutant: Mutant | undefined, folder: string): Promise<string | undefined> {
  const { nodeFlags, environment } = mutant ? brokenBy(mutant) : { nodeFlags: [], environment: {} };
  const child = spawn(process.execPath, [...nodeFlags, SCENARIOS], {
    env: { ...process.env, ...environment, TMPDIR: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [told, complaints, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  if (code === 0) return undefined;
  if (code === 1 && told !== "") return told;
  throw new Error(`The scenarios could not be tried: ${complaints}`);
}
