import type { EngineInput } from "#engines/engine";
import type { SnakemakeModel } from "#engines/snakemake/prepare";
import { isReportWanted, reportFile } from "#engines/snakemake/report-file";
import { shellQuote } from "#plumbing/text/shell-quote";
import type { Job } from "#workflow/job/job";
import type { StageEntry } from "#workflow/job/stage";

/** Snakemake as a server finds it on its machine. */
export interface SnakemakeProgram {
  /** The program: a path, or a name that is looked up in the PATH of the job. */
  readonly program: string;
  /** The modules of the plugin through which Snakemake hands over its jobs: their sources by file name. */
  readonly plugin: Readonly<Record<string, string>>;
  /** Limit on the threads of one job: the cores of this host. */
  readonly maxThreads: number;
}

export const PLANNER = "snakemake";
export const REPORT = "report";
/** The planner and the report are jobs of the run as well. */
export const OWN_JOBS = 2;
export const PLUGIN_PACKAGE = "snakemake_executor_plugin_reprise";

/** The last line of a planner that ended without an error before its plugin noted that no job is left. */
export const ENDED_EARLY =
  "Snakemake ended without telling that the workflow is complete. Look for sys.exit or os._exit in the Snakefile.";

/**
 * Runs a program. Fails if it succeeds without making the file that is the first argument. Signals go to the whole group:
 * the program handles them, and this shell waits until it has ended.
 */
const UNTIL_COMPLETE = `trap : TERM INT HUP; "$@" || exit; [ -e "$0" ] || { echo ${shellQuote(ENDED_EARLY)} >&2; exit 1; }`;

/** Files of a run through which its planner and the server talk, relative to the workspace. */
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
 * Returns the job that plans the run: Snakemake itself, with our plugin in its module path. It waits for its jobs most
 * of the time and takes no core, so that a host with one core can run them.
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

/** Returns the job that makes the report of a run that has succeeded. */
export function reportJob(input: EngineInput, server: SnakemakeProgram, attempt: number): Job {
  const places = placesOf(input);
  const own = `${places.folder}/planner-${attempt}`;
  const report = `${input.run.workspaceFolder}/${reportFile(input)}`;
  const words = [...commonWords(input, server), ...configWords(input, own), "--report", report];
  // Snakemake does not make the folder of its report.
  const inFolder = ["-c", 'mkdir -p "$0" && exec "$@"', report.slice(0, report.lastIndexOf("/"))];
  const argv = ["bash", ...inFolder, server.program, ...words] as const;
  return {
    ...namedJob(REPORT, `snakemake --report ${shellQuote(reportFile(input))}`, argv),
    environment: { XDG_CACHE_HOME: `${input.run.workspaceFolder}/${places.cache}` },
    // Without the packages that a report needs, Snakemake exits with 1. That fails only a run that asks for a report.
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
    `--jobs=${mostJobs(run.mostOutstanding)}`,
    `--max-threads=${server.maxThreads}`,
    "--scheduler=greedy",
    // The server decides how many jobs start. Snakemake's own limit of 100 a second keeps it alive for a second after
    // its last job.
    "--max-jobs-per-timespan=1000000/0s",
    "--rerun-incomplete",
    ...(keepsGoing ? ["--keep-going"] : []),
    ...(input.restart?.fresh ? ["--forceall"] : []),
  ];
}

/** Returns the limit on requested jobs: the planner and one question to it are outstanding as well. */
export function mostJobs(mostOutstanding: number): number {
  return Math.max(1, mostOutstanding - 2);
}

/** Returns the arguments of every call. A run has its workspace for itself, so locks that an earlier planner left mean nothing. */
export function commonWords(input: EngineInput, { maxThreads }: SnakemakeProgram): string[] {
  return [
    "--snakefile",
    snakefileOf(input),
    // The number that rules see as `workflow.cores`. It does not limit the jobs of a plugin.
    `--cores=${maxThreads}`,
    "--nolock",
    "--nocolor",
  ];
}

function configWords(input: EngineInput, own: string): string[] {
  return configTextOf(input) === null ? [] : ["--configfile", `${own}/config.json`];
}

/** Returns the text of the configuration that overrides the workflow's own. Null if there is none. */
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
