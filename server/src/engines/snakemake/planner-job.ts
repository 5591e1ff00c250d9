import type { EngineInput } from "#engines/engine";
import { type OutstandingLimit, placesLeft } from "#engines/outstanding";
import type { SnakemakeModel } from "#engines/snakemake/prepare";
import { isReportWanted, reportFile } from "#engines/snakemake/report-file";
import { shellQuote } from "#plumbing/text/shell-quote";
import type { Job } from "#workflow/job/job";
import type { StageEntry } from "#workflow/job/stage";

/** The server's Snakemake installation. */
export interface SnakemakeProgram {
  /** The program: a path, or a name that is looked up in the PATH of the job. */
  readonly program: string;
  /** The modules of the plugin through which Snakemake submits jobs: sources by file name. */
  readonly plugin: Readonly<Record<string, string>>;
  /** Maximum number of threads per job: the cores of this host. */
  readonly maxThreads: number;
}

export const PLANNER = "snakemake";
export const REPORT = "report";
/** The planner and the report are jobs of the run as well. */
export const OWN_JOBS = 2;
export const PLUGIN_PACKAGE = "snakemake_executor_plugin_reprise";

/** The last line of a planner that ended without an error before the plugin noted the completion of the workflow. */
export const ENDED_EARLY =
  "Snakemake ended without telling that the workflow is complete. Look for sys.exit or os._exit in the Snakefile.";

/**
 * Runs a program. Fails if the program succeeds without making the file named in the first argument. Signals reach the
 * whole process group: the program handles them, and the shell waits for the program.
 */
const UNTIL_COMPLETE = `trap : TERM INT HUP; "$@" || exit; [ -e "$0" ] || { echo ${shellQuote(ENDED_EARLY)} >&2; exit 1; }`;

/** Files for messages between the planner of a run and the server, relative to the workspace. */
export function placesOf({ run }: EngineInput) {
  const folder = `.snakemake/reprise/${run.number}`;
  return {
    folder,
    requests: `${folder}/requests`,
    answers: `${folder}/answers`,
    cache: ".snakemake/reprise/cache",
  };
}

/**
 * Returns the planner job of a run: Snakemake itself, with our plugin in the module path. The planner mostly waits and
 * takes no core, so that a host with one core can run the jobs.
 */
export function plannerJob(input: EngineInput, server: SnakemakeProgram, attempt: number): Job {
  const places = placesOf(input);
  const own = `${places.folder}/planner-${attempt}`;
  const inside = (path: string) => `${input.run.workspaceFolder}/${path}`;
  const complete = inside(`${own}/complete`);
  const words = [server.program, ...planningWords(input, server, own)];
  const argv = ["bash", "-c", UNTIL_COMPLETE, complete, ...words] as const;
  return {
    ...namedJob(PLANNER, `snakemake --snakefile ${shellQuote(snakefileOf(input))}`, argv),
    ...(attempt > 1 && { attempt }),
    environment: {
      PYTHONPATH: inside(own),
      XDG_CACHE_HOME: inside(places.cache),
      REPRISE_ATTEMPT: String(attempt),
      REPRISE_REQUESTS: inside(places.requests),
      REPRISE_ANSWERS: inside(places.answers),
      REPRISE_COMPLETE: complete,
    },
    resources: { cores: 0, memoryBytes: 0 },
    stage: stagedFiles(input, server, own),
  };
}

/** Returns the job that makes the report of a successful run. */
export function reportJob(input: EngineInput, server: SnakemakeProgram, attempt: number): Job {
  const places = placesOf(input);
  const own = `${places.folder}/planner-${attempt}`;
  const report = `${input.run.workspaceFolder}/${reportFile(input)}`;
  const words = [...commonWords(input, server), ...configWords(input, own), "--report", report];
  // Snakemake does not create the folder for the report.
  const inFolder = ["-c", 'mkdir -p "$0" && exec "$@"', report.slice(0, report.lastIndexOf("/"))];
  const argv = ["bash", ...inFolder, server.program, ...words] as const;
  return {
    ...namedJob(REPORT, `snakemake --report ${shellQuote(reportFile(input))}`, argv),
    environment: { XDG_CACHE_HOME: `${input.run.workspaceFolder}/${places.cache}` },
    // Without the packages for reports, Snakemake exits with 1. The code fails only runs with a requested report.
    ...(!isReportWanted(input) && { successCodes: [0, 1] }),
  };
}

function namedJob(name: string, displayCommand: string, argv: readonly [string, ...string[]]) {
  return {
    key: name,
    name,
    node: name,
    command: { argv },
    displayCommand,
    image: null,
    isHostProgram: true as const,
    environment: {},
  };
}

function planningWords(input: EngineInput, server: SnakemakeProgram, own: string): string[] {
  const { specification, options, run } = input;
  const keepsGoing = { ...specification.inputs?.options, ...options }["on_failure"] === "finish";
  return [
    ...commonWords(input, server),
    ...configWords(input, own),
    "--executor=reprise",
    `--jobs=${mostJobs(run)}`,
    `--max-threads=${server.maxThreads}`,
    "--scheduler=greedy",
    // The server limits the number of jobs. Snakemake's own limit of 100 a second keeps Snakemake alive for a second
    // after the last job.
    "--max-jobs-per-timespan=1000000/0s",
    "--rerun-incomplete",
    ...(keepsGoing ? ["--keep-going"] : []),
    ...(input.restart?.fresh ? ["--forceall"] : []),
  ];
}

/** Returns the limit on requested jobs. The planner and one ask to the planner are also outstanding. */
export function mostJobs(limit: OutstandingLimit): number {
  return Math.max(1, placesLeft(limit, 2));
}

/** Returns the arguments of every call. A run owns its workspace, so locks of earlier planners are stale. */
export function commonWords(input: EngineInput, { maxThreads }: SnakemakeProgram): string[] {
  return [
    "--snakefile",
    snakefileOf(input),
    // The value of `workflow.cores` seen by rules. It does not limit the jobs of a plugin.
    `--cores=${maxThreads}`,
    "--nolock",
    "--nocolor",
  ];
}

function configWords(input: EngineInput, own: string): string[] {
  return configTextOf(input) === null ? [] : ["--configfile", `${own}/config.json`];
}

/** Returns the text of the configuration that overrides the workflow's own configuration, or null. */
export function configTextOf({ model }: EngineInput): string | null {
  const { config } = model as SnakemakeModel;
  return config === null ? null : `${JSON.stringify(config, null, 2)}\n`;
}

function snakefileOf({ specification }: EngineInput): string {
  return specification.workflow.file ?? "Snakefile";
}

function stagedFiles(input: EngineInput, { plugin }: SnakemakeProgram, own: string): StageEntry[] {
  const config = configTextOf(input);
  return [
    ...Object.entries(plugin).map(([name, text]) => ({ at: `${own}/${PLUGIN_PACKAGE}/${name}`, text })),
    ...(config === null ? [] : [{ at: `${own}/config.json`, text: config }]),
  ];
}
