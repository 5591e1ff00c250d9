import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { afterAll, beforeAll } from "vitest";
import { freePort } from "#backends/free-port-fixture";
import { isProgram } from "#plumbing/files/find-program";

/** True if this machine can run a Slurm of the tests. In CI a skipped test counts as failed. */
export const HAS_SLURM =
  process.getuid?.() === 0 && ["munged", "slurmctld", "slurmd", "sbatch"].every(isInstalled);

function isInstalled(program: string): boolean {
  return ["/usr/sbin", "/usr/bin"].some((folder) => isProgram(path.join(folder, program)));
}

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
  /** Runs a command of Slurm, and returns its output. */
  run(program: string, ...words: readonly string[]): string;
}

/** Starts a Slurm for all tests of the calling group, and ends it afterwards. The server in this process uses it as well. */
export function sharedSlurm(): () => Slurm {
  let slurm: Slurm;
  let before: string | undefined;
  beforeAll(async () => {
    slurm = await startSlurm();
    before = process.env["SLURM_CONF"];
    process.env["SLURM_CONF"] = slurm.environment["SLURM_CONF"];
  });
  afterAll(() => {
    execFileSync("bash", [SCRIPT, "down", slurm.folder], { stdio: "pipe" });
    delete process.env["SLURM_CONF"];
    if (before !== undefined) process.env["SLURM_CONF"] = before;
  });
  return () => slurm;
}

async function startSlurm(): Promise<Slurm> {
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
    run: (program, ...words) =>
      execFileSync(program, words, { encoding: "utf8", env: { ...process.env, ...environment } }),
  };
  try {
    slurm.up();
  } catch (error) {
    // Daemons that have started must not outlive the test.
    execFileSync("cp", ["-r", path.join(folder, "log"), `${folder}.log`]);
    script("down", folder);
    throw new Error(`Slurm did not start. Its logs are in ${folder}.log.`, { cause: error });
  }
  return slurm;
}
