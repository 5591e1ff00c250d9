import { EXIT_FAILURE, tellFailure, UsageError } from "#cli/failure";
import { marksFor } from "#cli/terminal/marks";
import type { CliHost, SettingOptions } from "#cli/host";
import { type Analysis, openAnalysis } from "#cli/run/analysis/analysis";
import { type Display, jsonDisplay, lineDisplay } from "#cli/run/display/display";
import { type RunOptions, runOnce } from "#cli/run/run-once";
import { screenDisplay } from "#cli/run/display/screen-display";
import { exitCodeOf, inSession } from "#cli/run/session";

export type { RunOptions };

/** Implements `reprise run`, from the specification to the outputs. Returns the run's exit code. */
export async function run(
  host: CliHost,
  settings: SettingOptions,
  options: RunOptions & { readonly sweep?: readonly string[]; readonly watch?: boolean },
): Promise<number> {
  const { sweep: sweeps = [], watch: isWatching = false } = options;
  if (sweeps.length > 0) {
    if (isWatching) throw new UsageError("--watch and --sweep do not go together. Give one of them.");
    return (await import("#cli/run/sweep/sweep")).sweep(host, settings, options, sweeps);
  }
  if (!isWatching) {
    const analysis = await openAnalysis(host, settings, options);
    return (await runIt(host, settings, options, { analysis, isFirst: true })).exitCode;
  }
  const { watch } = await import("#cli/run/watch");
  let runs = 0;
  return watch(host, settings, options, (analysis) => {
    runs += 1;
    return tryIt(host, settings, options, { analysis, isFirst: runs === 1 });
  });
}

interface Wanted {
  readonly analysis: Analysis;
  /** False for later runs of `--watch`. */
  readonly isFirst: boolean;
}

interface Ran {
  readonly exitCode: number;
  /** The output files that were copied back. */
  readonly brought: readonly string[];
}

async function runIt(
  host: CliHost,
  settings: SettingOptions,
  options: RunOptions,
  { analysis, isFirst }: Wanted,
): Promise<Ran> {
  const display = displayOf(host, options);
  const session = { display, options, isFirst, what: display.what };
  let brought: readonly string[] = [];
  const exitCode = await inSession(host, settings, session, async (desk) => {
    const ran = await runOnce(host, desk, { analysis, display, options });
    brought = ran.brought?.files.map(({ file }) => file) ?? [];
    const isIncomplete = options.strict === true && (ran.brought?.absent.length ?? 0) > 0;
    return isIncomplete ? Math.max(exitCodeOf(ran.status), EXIT_FAILURE) : exitCodeOf(ran.status);
  });
  return { exitCode, brought };
}

/** Runs once under `--watch`. An error is reported only, because the next change may fix it. */
async function tryIt(
  host: CliHost,
  settings: SettingOptions,
  options: RunOptions,
  wanted: Wanted,
): Promise<Ran> {
  try {
    return await runIt(host, settings, options, wanted);
  } catch (error) {
    return { exitCode: tellFailure(host, error, settings, options.json === true), brought: [] };
  }
}

function displayOf(host: CliHost, { json }: RunOptions): Display & { what(): string } {
  let name = "the run";
  const display = json === true ? jsonDisplay(host) : displayForPeople(host);
  return {
    ...display,
    what: () => name,
    created(made) {
      name = made.name;
      display.created(made);
    },
  };
}

function displayForPeople(host: CliHost): Display {
  return host.screen === undefined
    ? lineDisplay(host)
    : screenDisplay(host.screen, host.clock, marksFor(host.environment, true));
}
