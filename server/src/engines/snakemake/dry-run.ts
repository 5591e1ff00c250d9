import { describeFailure } from "#engines/describe-failure";
import type { DryRun, DryRunJob, DryRunResult, Printed } from "#engines/dry-run";
import type { EngineInput } from "#engines/engine";
import type { Judgement } from "#engines/reuse";
import { maybePlannedLine, type PlannedJob } from "#engines/snakemake/messages";
import {
  commonWords,
  configTextOf,
  PLUGIN_PACKAGE,
  type SnakemakeProgram,
} from "#engines/snakemake/planner-job";
import { previousDifferences } from "#engines/snakemake/previous-differences";
import { maybeDecision } from "#engines/snakemake/requested-job";
import { explainingLines } from "#engines/snakemake/telling-lines";
import { shellQuote } from "#plumbing/text/shell-quote";
import type { Decision } from "#workflow/job/decision";
import { succeeded } from "#workflow/job/job";
import { SECRETS_FOLDER_VARIABLE } from "#workflow/people/secret";

/** Time after which the job is ended. Snakemake takes seconds to start, and a Snakefile may compute for ever. */
const TIME_MAX_MS = 60_000;
/** Prefix of the lines printed by the plugin. */
const MARK = "reprise-plan";
/** Begins the names of the files with the plugin. */
const PLUGIN_FILE = "reprise-snakemake-plugin-";
const CONFIG_FILE = "reprise-snakemake-config.json";
/** Snakemake's own folder, with its records about the files of earlier runs. */
const OWN_FOLDER = ".snakemake";

export function createDryRun(server: SnakemakeProgram): DryRun<EngineInput> {
  return { job: (input) => dryRunJob(input, server), read };
}

function dryRunJob(input: EngineInput, server: SnakemakeProgram): DryRunJob {
  const config = configTextOf(input);
  return {
    job: {
      key: "plan",
      name: "plan",
      node: "plan",
      command: { script: scriptOf(input, server) },
      displayCommand: "snakemake --dry-run",
      image: null,
      isHostProgram: true,
      environment: { REPRISE_DRY_RUN: MARK, PYTHONDONTWRITEBYTECODE: "1" },
      writable: [OWN_FOLDER],
      resources: { cores: 0, memoryBytes: 0 },
      limits: { timeMs: TIME_MAX_MS },
    },
    files: {
      ...Object.fromEntries(Object.entries(server.plugin).map(([name, text]) => [PLUGIN_FILE + name, text])),
      ...(config !== null && { [CONFIG_FILE]: config }),
    },
  };
}

/** The plugin has to be a package in the module path, and the workspace is only read. */
function scriptOf(input: EngineInput, server: SnakemakeProgram): string {
  const config = configTextOf(input) === null ? null : `"$${SECRETS_FOLDER_VARIABLE}"/${CONFIG_FILE}`;
  const options = [...commonWords(input, server), "--dry-run", "--rerun-incomplete"];
  const words = [server.program, ...options, ...(input.restart?.fresh ? ["--forceall"] : [])];
  return [
    `[ -d ${OWN_FOLDER} ] || { printf '${MARK} {"kind":"new"}\\n'; exit 0; }`,
    `mkdir -p "$HOME"/plan/${PLUGIN_PACKAGE}`,
    ...Object.keys(server.plugin).map(
      (name) =>
        `cp "$${SECRETS_FOLDER_VARIABLE}"/${PLUGIN_FILE}${name} "$HOME"/plan/${PLUGIN_PACKAGE}/${name} || exit`,
    ),
    `export PYTHONPATH="$HOME"/plan XDG_CACHE_HOME="$HOME"/cache`,
    `exec ${words.map(shellQuote).join(" ")}${config === null ? "" : ` --configfile ${config}`}`,
  ].join("\n");
}

function read(input: EngineInput, { end, text }: Printed): DryRunResult {
  const lines = text.split("\n");
  const told = lines.flatMap((line) => maybePlannedLine(line, MARK) ?? []);
  const last = told.at(-1);
  if (last?.kind === "new")
    return { problem: "Snakemake has not run in this workspace yet, so a restart runs everything." };
  if (!succeeded(end) || last?.kind !== "end")
    return { problem: [describeFailure("Snakemake's dry run", end), ...linesOf(lines)].join("\n") };
  const jobs = told.flatMap((one) => (one.kind === "job" ? [one.job] : []));
  return { jobs: jobs.map((job) => judgementOf(input, job)), isComplete: !last.mayGrow };
}

/** Python's message for a write refused in a dry run. */
const READ_ONLY = /Read-only file system/;

function linesOf(lines: readonly string[]): readonly string[] {
  const telling = explainingLines(lines);
  return lines.some((line) => READ_ONLY.test(line))
    ? [
        ...telling,
        "The Snakefile changes files when it is read. A restart may do that; its plan changes nothing.",
      ]
    : telling;
}

const UP_TO_DATE: Decision = {
  kind: "taken-over",
  facts: [],
  sentence: "Snakemake: all of its outputs are up to date.",
};
const UNSAID: Decision = { kind: "runs", facts: [], sentence: "Snakemake runs it." };

function judgementOf(input: EngineInput, { key, name, shown: command, reason }: PlannedJob): Judgement {
  const job = { key, name, command, from: null, stamps: null };
  if (reason === null) return { ...job, verdict: "taken-over", decision: UP_TO_DATE, differences: [] };
  return {
    ...job,
    verdict: "runs",
    decision: maybeDecision(reason) ?? UNSAID,
    differences: previousDifferences(input, key),
  };
}
