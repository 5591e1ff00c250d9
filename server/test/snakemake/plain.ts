import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { Case } from "./cases/case.ts";

const LOG_MAX_BYTES = 1 << 24;

export interface Outcome {
  /** Checksums of files, and targets of links, by path. Files of Snakemake's and Python's own are left out. */
  readonly files: Readonly<Record<string, string>>;
  /** Rules and wildcards of the executed jobs, sorted. */
  readonly jobs: readonly string[];
}

/** Runs a workflow with plain Snakemake and as many cores as the server has. */
export async function plainRun(
  program: string,
  { files, snakefile = "Snakefile" }: Case,
  cores: number,
): Promise<Outcome> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-plain-"));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
  const config = "config.yaml" in files ? ["--configfile", "config.yaml"] : [];
  const words = ["--snakefile", snakefile, "--cores", String(cores), "--nocolor", ...config];
  const { stderr } = await promisify(execFile)(program, words, { cwd: folder, maxBuffer: LOG_MAX_BYTES });
  const outcome = { files: checksums(folder), jobs: jobsIn(stderr) };
  rmSync(folder, { recursive: true });
  return outcome;
}

/** Returns the jobs that a log of Snakemake's announces, apart from the target. */
function jobsIn(log: string): readonly string[] {
  const [, ...blocks] = log.split(/^ *(?:local)?(?:rule|checkpoint) (?=\S+:$)/m);
  return blocks
    .map((block) => {
      const [rule, details] = [block.slice(0, block.indexOf(":")), block.split(/^ *\[/m)[0]!];
      return `${rule}[${wildcardsOf(/^ *wildcards: (.*)$/m.exec(details)?.[1])}]`;
    })
    .filter((job) => job !== "all[]")
    .toSorted();
}

export function wildcardsOf(text = ""): string {
  return text.split(", ").toSorted().join(",");
}

export function checksums(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !/\/(?:\.snakemake|__pycache__)\//.test(file));
  return Object.fromEntries(entries.toSorted().map((file) => [path.relative(folder, file), contentOf(file)]));
}

function contentOf(file: string): string {
  try {
    return `-> ${readlinkSync(file)}`;
  } catch {
    return createHash("sha256").update(readFileSync(file)).digest("hex");
  }
}
