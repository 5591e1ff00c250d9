import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { freePort } from "#backends/free-port-fixture";

const SCRIPT = path.join(import.meta.dirname, "slurm-fixture.sh");

export type Daemon = "munged" | "slurmctld" | "slurmd-n1" | "slurmd-n2";

/** A real Slurm cluster with two nodes, both on this machine. */
export interface Slurm {
  readonly folder: string;
  /** The variables of a client. */
  readonly environment: Readonly<Record<string, string>>;
  /** Starts the daemons that have ended. */
  up(): void;
  kill(daemon: Daemon): void;
  /** Ends the daemons and what jobs have left, and removes the folder. */
  down(): void;
  /** Runs a command of Slurm, and returns its output. */
  run(program: string, ...words: readonly string[]): string;
}

/** Starts a Slurm. If a daemon does not come up, none is left. */
export async function startSlurm(): Promise<Slurm> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-slurm-"));
  // Everybody may reach the socket of munge.
  chmodSync(folder, 0o755);
  const ports = [await freePort(), await freePort(), await freePort()].map(String);
  const environment = { SLURM_CONF: path.join(folder, "slurm.conf") };
  // slurmd and munged keep the pipes of a caller that they inherit.
  const script = (...words: readonly string[]) =>
    void execFileSync("bash", [SCRIPT, ...words], { stdio: "ignore" });
  const slurm: Slurm = {
    folder,
    environment,
    up: () => script("up", folder, ...ports),
    kill: (daemon) => script("kill", folder, daemon),
    down: () => script("down", folder),
    run: (program, ...words) =>
      execFileSync(program, words, { encoding: "utf8", env: { ...process.env, ...environment } }),
  };
  try {
    slurm.up();
  } catch (error) {
    cpSync(path.join(folder, "log"), `${folder}.log`, { recursive: true });
    slurm.down();
    throw new Error(`Slurm did not start. Its logs are in ${folder}.log.`, { cause: error });
  }
  return slurm;
}
