import type { CliContext, SettingOptions } from "#cli/context";
import type { RunService } from "#cli/run/service/run-service";
import { type ServerOptions, serverVariable } from "#cli/connection/server-variables";

/** Interval for retrying a data folder that is used by a process without a server. */
const TRY_INTERVAL_MS = 300;

/** Opens the server that the options or the environment name, or else the data folder. */
export async function openRunService(
  cli: CliContext,
  settings: SettingOptions,
  options: ServerOptions,
  say: (sentence: string) => void,
): Promise<RunService> {
  if (options.server === undefined && serverVariable(cli, settings) === undefined) {
    return openOnFolder(cli, settings, say);
  }
  // The HTTP code is loaded only if a server is named.
  const { namedRuns } = await import("#cli/run/service/served-runs");
  return namedRuns(cli, settings, options, say);
}

/**
 * Carries out runs in this process if the data folder is free, else on its server. Another `reprise run` holds the
 * folder without serving, and a server that is starting or stopping has no address: in both cases this waits.
 */
async function openOnFolder(
  cli: CliContext,
  settings: SettingOptions,
  say: (sentence: string) => void,
): Promise<RunService> {
  for (let tries = 0; ; tries += 1) {
    const own = await cli.openRuns(settings);
    if (own !== undefined) {
      for (const sentence of own.warnings ?? []) cli.printError(sentence);
      return own;
    }
    const folder = cli.dataFolder(settings);
    const { maybeServedRuns } = await import("#cli/run/service/served-runs");
    const beside = await maybeServedRuns(folder, cli.clock, say);
    if (beside !== undefined) return beside;
    if (tries === 1) {
      cli.printError(
        `Another command uses the data folder ${folder}; waiting until it has ended. ` +
          'While "reprise serve" is running, any number of them run side by side.',
      );
    }
    await new Promise<void>((resolve) => void cli.clock.after(TRY_INTERVAL_MS, resolve));
  }
}
