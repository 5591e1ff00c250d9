import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { scatterOfTrue } from "./cwl-documents.ts";

/** Other workflow programs from the Python Package Index, each in its own environment, which is made once. */
const PEERS = {
  snakemake: ["snakemake==9.27.1"],
  cwltool: ["cwltool==3.3.20260925135507"],
  // It imports a part of setuptools that version 81 and later do not have.
  "reana-client": ["reana-client==0.9.6", "setuptools<81"],
} as const;

const CACHE = path.join(os.homedir(), ".cache", "reprise-bench");

/** Returns the path of the program, after installing it if it is missing. */
export function peer(name: keyof typeof PEERS): string {
  const packages = PEERS[name];
  const environment = path.join(CACHE, packages[0]);
  const program = path.join(environment, "bin", name);
  if (!existsSync(program)) {
    console.log(`installing ${packages[0]} in ${environment} …`);
    execFileSync("python3", ["-m", "venv", "--clear", environment], { stdio: "inherit" });
    execFileSync(path.join(environment, "bin", "pip"), ["install", "--quiet", ...packages], {
      stdio: "inherit",
    });
  }
  return program;
}

/** Returns the milliseconds that Snakemake takes for this many independent jobs. */
export async function snakemake(folder: string, jobs: number, atOnce: number): Promise<number> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "Snakefile"), SNAKEFILE.replace("JOBS", String(jobs)));
  execFileSync("rm", ["-rf", "done", ".snakemake"], { cwd: folder });
  return timed(peer("snakemake"), ["--cores", String(atOnce), "--quiet", "all"], folder);
}

/** Returns the same for cwltool, which runs the jobs as a scatter. */
export async function cwltool(folder: string, jobs: number): Promise<number> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "fan.cwl"), JSON.stringify(scatterOfTrue(jobs)));
  return cwltoolOn(folder, "fan.cwl");
}

/** Returns the milliseconds that cwltool takes for a document in the folder. */
export function cwltoolOn(
  folder: string,
  document: string,
  options: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<number> {
  const args = ["--quiet", "--outdir", path.join(folder, "theirs"), ...options, document];
  return timed(peer("cwltool"), args, folder, environment);
}

const SNAKEFILE = `
rule all:
    input: expand("done/{i}", i=range(JOBS))

rule job:
    output: touch("done/{i}")
    shell: "true"
`;

async function timed(
  program: string,
  args: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<number> {
  const beganAt = performance.now();
  await promisify(execFile)(program, args, { cwd, env: { ...process.env, TMPDIR: cwd, ...environment } });
  return performance.now() - beganAt;
}
