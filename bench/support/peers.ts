import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { scatterOfTrue } from "./cwl-documents.ts";

const YADAGE_REQUIREMENTS = path.join(import.meta.dirname, "../../conformance/yadage/requirements.txt");

/**
 * Other workflow programs from the Python Package Index. Each has a separate environment, which is made once.
 */
const PEERS = {
  // Pygments is needed by the report, but missing from the package's dependencies.
  snakemake: ["snakemake==9.27.1", "pygments==2.21.0"],
  cwltool: ["cwltool==3.3.20260925135507"],
  cwltest: ["cwltest==2.7.20260814150058"],
  // reana-client imports a part of setuptools that was removed in version 81.
  "reana-client": ["reana-client==0.9.6", "setuptools<81"],
  // Several of its dependencies have to be older than the newest.
  "yadage-run": ["yadage==0.20.2", "--no-deps", "--requirement", YADAGE_REQUIREMENTS],
} as const;

const CACHE = path.join(os.homedir(), ".cache", "reprise-bench");

/** Returns the path of the program, installing it if missing. */
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

/**
 * Returns the milliseconds that Snakemake takes for a workflow without finished jobs, including its report.
 */
export async function snakemake(folder: string, snakefile: string, atOnce: number): Promise<number> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "Snakefile"), snakefile);
  execFileSync("rm", ["-rf", "done", ".snakemake"], { cwd: folder });
  const given = ["--cores", String(atOnce), "--quiet", "all"];
  const runMs = await timed(peer("snakemake"), given, folder);
  return runMs + (await timed(peer("snakemake"), [...given, "--report", "report.html"], folder));
}

/** Returns the milliseconds that yadage takes for a workflow. */
export async function yadage(
  folder: string,
  { stages, parameters }: { readonly stages: object; readonly parameters: object },
  atOnce: number,
): Promise<number> {
  mkdirSync(folder, { recursive: true });
  // JSON is YAML.
  writeFileSync(path.join(folder, "workflow.yml"), JSON.stringify({ stages }));
  writeFileSync(path.join(folder, "parameters.yml"), JSON.stringify(parameters));
  execFileSync("rm", ["-rf", "work"], { cwd: folder });
  const given = ["work", "workflow.yml", "parameters.yml", "--toplevel", folder, "--no-visualize"];
  return timed(peer("yadage-run"), [...given, "--backend", `multiproc:${atOnce}`], folder);
}

/** Returns the milliseconds that cwltool takes for the jobs as a scatter. */
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

/** Returns a Snakefile with `jobs` independent jobs. */
export function independentRules(jobs: number): string {
  return `
rule all:
    input: expand("done/{i}", i=range(${jobs}))

rule job:
    output: touch("done/{i}")
    shell: "true"
`;
}

/** Returns a Snakefile with a chain of `jobs` jobs. */
export function chainedRules(jobs: number): string {
  return `
rule all:
    input: "done/${jobs - 1}"

rule job:
    input: lambda wildcards: [f"done/{int(wildcards.i) - 1}"] if wildcards.i != "0" else []
    output: touch("done/{i}")
    shell: "true"
`;
}

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
