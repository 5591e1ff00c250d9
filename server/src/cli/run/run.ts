import { tellFailure, UsageError } from "#cli/failure";
import type { CliHost, SettingOptions } from "#cli/host";
import { type Analysis, openAnalysis } from "#cli/run/analysis";
import { type Display, jsonDisplay, lineDisplay } from "#cli/run/display";
import { type RunOptions, runOnce } from "#cli/run/run-once";
import { screenDisplay } from "#cli/run/screen-display";
import { exitCodeOf, inSession } from "#cli/run/session";

export type { RunOptions };

/** `reprise run`: an analysis from beginning to end. Answers the exit code, which is the run's. */
export async function run(
  host: CliHost,
  settings: SettingOptions,
  options: RunOptions & { readonly sweep?: readonly string[]; readonly watch?: boolean },
): Promise<number> {
  const { sweep: sweeps = [], watch: isWatching = false } = options;
  if (sweeps.length > 0) {
    if (isWatching) throw new UsageError("--watch and --sweep do not go together. Give one of them.");
    return (await import("#cli/run/sweep")).sweep(host, settings, options, sweeps);
  }
  if (!isWatching) return (await runIt(host, settings, options)).exitCode;
  const { watch } = await import("#cli/run/watch");
  return watch(host, settings, options, (analysis) => tryIt(host, settings, options, analysis));
}

interface Ran {
  readonly exitCode: number;
  /** The files that came back. */
  readonly brought: readonly string[];
}

async function runIt(
  host: CliHost,
  settings: SettingOptions,
  options: RunOptions,
  opened?: Analysis,
): Promise<Ran> {
  const analysis = opened ?? (await openAnalysis(host, settings, options));
  const display = displayOf(host, options);
  let brought: readonly string[] = [];
  const exitCode = await inSession(host, settings, { display, what: display.what }, async (desk) => {
    const ran = await runOnce(host, desk, { analysis, display, options });
    brought = ran.brought?.files.map(({ file }) => file) ?? [];
    return exitCodeOf(ran.status);
  });
  return { exitCode, brought };
}

/** While it is watched, what went wrong is one of the things that are changed next. */
async function tryIt(
  host: CliHost,
  settings: SettingOptions,
  options: RunOptions,
  analysis: Analysis,
): Promise<Ran> {
  try {
    return await runIt(host, settings, options, analysis);
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
    began(created) {
      name = created.name;
      display.began(created);
    },
  };
}

function displayForPeople(host: CliHost): Display {
  return host.screen === undefined ? lineDisplay(host) : screenDisplay(host.screen, host.clock);
}
