import path from "node:path";
import process from "node:process";
import { afterAll, beforeAll } from "vitest";
import { type Slurm, startSlurm } from "#backends/slurm/started-slurm-fixture";
import { isProgram } from "#plumbing/files/find-program";

/** True if this machine can run a Slurm of the tests. In CI a skipped test counts as failed. */
export const HAS_SLURM =
  process.getuid?.() === 0 && ["munged", "slurmctld", "slurmd", "sbatch"].every(isInstalled);

function isInstalled(program: string): boolean {
  return ["/usr/sbin", "/usr/bin"].some((folder) => isProgram(path.join(folder, program)));
}

/** Starts a Slurm for all tests of the calling group, and ends it afterwards. The server in this process uses it as well. */
export function sharedSlurm(): () => Slurm {
  let slurm: Slurm | undefined;
  let before: string | undefined;
  beforeAll(async () => {
    slurm = await startSlurm();
    before = process.env["SLURM_CONF"];
    process.env["SLURM_CONF"] = slurm.environment["SLURM_CONF"];
  });
  afterAll(() => {
    slurm?.down();
    delete process.env["SLURM_CONF"];
    if (before !== undefined) process.env["SLURM_CONF"] = before;
  });
  return () => slurm!;
}
