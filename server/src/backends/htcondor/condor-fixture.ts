import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { afterAll, beforeAll } from "vitest";
import { freePort } from "#backends/free-port-fixture";

const SCRIPT = path.join(import.meta.dirname, "condor-fixture.sh");

/** A real pool of HTCondor with one node, which is this machine. */
export interface Pool {
  readonly folder: string;
  /** The variables of a client. */
  readonly environment: Readonly<Record<string, string>>;
  /** Waits until all daemons are there. The master starts the ones that have ended. */
  up(): void;
  kill(daemon: "condor_schedd" | "condor_starter"): void;
  /** Runs a command of HTCondor, and returns its output. */
  run(program: string, ...words: readonly string[]): string;
}

/** Starts a pool for all tests of the calling group, and ends it afterwards. The server in this process uses it as well. */
export function sharedPool(): () => Pool {
  let pool: Pool;
  let before: string | undefined;
  beforeAll(async () => {
    pool = await startPool();
    before = process.env["CONDOR_CONFIG"];
    process.env["CONDOR_CONFIG"] = pool.environment["CONDOR_CONFIG"];
  });
  afterAll(() => {
    execFileSync("bash", [SCRIPT, "down", pool.folder], { stdio: "pipe" });
    delete process.env["CONDOR_CONFIG"];
    if (before !== undefined) process.env["CONDOR_CONFIG"] = before;
  });
  return () => pool;
}

async function startPool(): Promise<Pool> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-condor-"));
  const port = String(await freePort());
  const environment = { CONDOR_CONFIG: path.join(folder, "condor_config") };
  // Daemons keep the pipes of a caller that they inherit.
  const script = (...words: readonly string[]) =>
    void execFileSync("bash", [SCRIPT, ...words], { stdio: "ignore" });
  const pool: Pool = {
    folder,
    environment,
    up: () => script("up", folder, port),
    kill: (daemon) => script("kill", folder, daemon),
    run: (program, ...words) =>
      execFileSync(program, words, { encoding: "utf8", env: { ...process.env, ...environment } }),
  };
  pool.up();
  return pool;
}
