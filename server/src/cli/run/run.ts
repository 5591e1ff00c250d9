import type { CliHost, SettingOptions } from "#cli/host";
import { openAnalysis } from "#cli/run/analysis";
import { type Display, jsonDisplay, lineDisplay } from "#cli/run/display";
import { type RunOptions, runOnce, type Told } from "#cli/run/run-once";
import { screenDisplay } from "#cli/run/screen-display";
import { exitCodeOf, inSession } from "#cli/run/session";

export type { RunOptions };

/** `reprise run`: an analysis from beginning to end. Answers the exit code, which is the run's. */
export async function run(
  host: CliHost,
  settings: SettingOptions,
  options: RunOptions & { readonly sweep?: readonly string[] },
): Promise<number> {
  const { sweep: sweeps = [] } = options;
  if (sweeps.length > 0) return (await import("#cli/run/sweep")).sweep(host, settings, options, sweeps);
  const analysis = await openAnalysis(host, settings, options);
  const display = displayOf(host, options);
  return inSession(host, settings, { display, what: display.what }, async (desk) => {
    const { status } = await runOnce(host, desk, { analysis, display, options });
    return exitCodeOf(status);
  });
}

function displayOf(host: CliHost, { json }: RunOptions): Told & { what(): string } {
  let name = "the run";
  const what = () => name;
  const display = json === true ? jsonDisplay(host, what) : displayForPeople(host, what);
  return {
    ...display,
    what,
    began(created) {
      name = created.name;
      display.say(`${name} begins.`);
      for (const warning of created.warnings) display.say(`Warning: ${warning}`);
    },
  };
}

function displayForPeople(host: CliHost, what: () => string): Display {
  return host.screen === undefined ? lineDisplay(host, what) : screenDisplay(host.screen, host.clock);
}
