import { EXIT_FAILURE, reportFailure, UsageError } from "#cli/failure";
import type { CliContext, SettingOptions } from "#cli/context";
import { type Analysis, openAnalysis } from "#cli/run/analysis/analysis";
import type { Display } from "#cli/run/display/display";
import { displayFor } from "#cli/run/display/display-for";
import { type RunOptions, runOnce } from "#cli/run/run-once";
import { exitCodeOf, withRunSession } from "#cli/run/run-session";

export type { RunOptions };

/** Implements `reprise run`, from the specification to the outputs. Returns the run's exit code. */
export async function run(
  cli: CliContext,
  settings: SettingOptions,
  options: RunOptions & {
    readonly sweep?: readonly string[];
    readonly watch?: boolean;
    /** The place of the jobs, if this process carries out the run. */
    readonly on?: string;
  },
): Promise<number> {
  const { on, ...others } = options;
  if (on !== undefined) return run(cli, { ...settings, backends: on, defaultBackend: on }, others);
  const { sweep: sweeps = [], watch: isWatching = false } = options;
  if (sweeps.length > 0) {
    if (options.resume) throw new UsageError("--resume and --sweep do not go together. Give one of them.");
    if (isWatching) throw new UsageError("--watch and --sweep do not go together. Give one of them.");
    return (await import("#cli/run/sweep/sweep")).sweep(cli, settings, options, sweeps);
  }
  if (!isWatching) {
    const analysis = await openAnalysis(cli, settings, options);
    return (await runAnalysis(cli, settings, options, { analysis, isFirst: true })).exitCode;
  }
  if (options.resume) throw new UsageError("--resume and --watch do not go together. Give one of them.");
  const { watch } = await import("#cli/run/watch");
  let runs = 0;
  return watch(cli, settings, options, (analysis) => {
    runs += 1;
    return runForWatch(cli, settings, options, { analysis, isFirst: runs === 1 });
  });
}

interface Wanted {
  readonly analysis: Analysis;
  /** False for later runs of `--watch`. */
  readonly isFirst: boolean;
}

interface Ran {
  readonly exitCode: number;
  /** The copied output files. */
  readonly copied: readonly string[];
}

async function runAnalysis(
  cli: CliContext,
  settings: SettingOptions,
  options: RunOptions,
  { analysis, isFirst }: Wanted,
): Promise<Ran> {
  const display = displayOf(cli, options);
  const sessionOptions = { display, options, isFirst, what: display.what };
  let copied: readonly string[] = [];
  const exitCode = await withRunSession(cli, settings, sessionOptions, async (session) => {
    const ran = await runOnce(cli, session, { analysis, display, options });
    copied = ran.copied?.files.map(({ file }) => file) ?? [];
    const isIncomplete = options.strict === true && (ran.copied?.absent.length ?? 0) > 0;
    return isIncomplete ? Math.max(exitCodeOf(ran.status), EXIT_FAILURE) : exitCodeOf(ran.status);
  });
  return { exitCode, copied };
}

/** Runs once under `--watch`. An error is reported only, because the next change may fix it. */
async function runForWatch(
  cli: CliContext,
  settings: SettingOptions,
  options: RunOptions,
  wanted: Wanted,
): Promise<Ran> {
  try {
    return await runAnalysis(cli, settings, options, wanted);
  } catch (error) {
    return { exitCode: reportFailure(cli, error, settings, options.json === true), copied: [] };
  }
}

function displayOf(cli: CliContext, { json }: RunOptions): Display & { what(): string } {
  let name = "the run";
  const display = displayFor(cli, json === true);
  return {
    ...display,
    what: () => name,
    created(made) {
      name = made.name;
      display.created(made);
    },
  };
}
