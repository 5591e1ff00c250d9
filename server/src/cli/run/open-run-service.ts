import type { CliHost, SettingOptions } from "#cli/host";
import type { RunService } from "#cli/run/run-service";
import { type ServerOptions, serverVariable } from "#cli/server-variables";

/** How often a data folder is tried that another process uses which serves nothing. */
const TRY_INTERVAL_MS = 300;

/** The server that the options or the environment name, else whoever may use the data folder. */
export async function openRunService(
  host: CliHost,
  settings: SettingOptions,
  options: ServerOptions,
  say: (sentence: string) => void,
): Promise<RunService> {
  if (options.server === undefined && serverVariable(host, settings) === undefined) {
    return openOnFolder(host, settings, say);
  }
  // What speaks HTTP is loaded only if somebody is there to be spoken to.
  const { namedRuns } = await import("#cli/run/served-runs");
  return namedRuns(host, settings, options, say);
}

/**
 * This process itself if nobody else uses the data folder, else its server. Another `reprise run` serves nothing and
 * does not last for ever, and a server that starts or ends has no address for a moment: both are waited for.
 */
async function openOnFolder(
  host: CliHost,
  settings: SettingOptions,
  say: (sentence: string) => void,
): Promise<RunService> {
  for (let tries = 0; ; tries += 1) {
    const own = await host.openRuns(settings);
    if (own !== undefined) return own;
    const folder = host.dataFolder(settings);
    const { maybeServedRuns } = await import("#cli/run/served-runs");
    const beside = await maybeServedRuns(folder, host.clock, say);
    if (beside !== undefined) return beside;
    if (tries === 1) {
      host.complain(
        `Another command uses the data folder ${folder}; waiting until it has ended. ` +
          'While "reprise serve" is running, any number of them run side by side.',
      );
    }
    await new Promise<void>((resolve) => void host.clock.after(TRY_INTERVAL_MS, resolve));
  }
}
