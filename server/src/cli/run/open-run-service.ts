import type { CliHost, SettingOptions } from "#cli/host";
import type { RunService } from "#cli/run/run-service";

/** How often a data folder is tried that another process uses which serves nothing. */
const TRY_INTERVAL_MS = 300;

/**
 * This process itself when nobody else uses the data folder, else its server. Another `reprise run` serves nothing and
 * does not last for ever, and a server that begins or ends has no address for a moment: both are waited for.
 */
export async function openRunService(
  host: CliHost,
  settings: SettingOptions,
  say: (sentence: string) => void,
): Promise<RunService> {
  for (let tries = 0; ; tries += 1) {
    const own = await host.openRuns(settings);
    if (own !== undefined) return own;
    const folder = host.dataFolder(settings);
    // What speaks HTTP is loaded only when somebody is there to be spoken to.
    const { maybeServedRuns } = await import("#cli/run/served-runs");
    const beside = await maybeServedRuns(folder, host.clock, say);
    if (beside !== undefined) return beside;
    if (tries === 1) {
      host.complain(
        `Another command uses the data folder ${folder}: this one begins when that has ended. ` +
          "(`reprise serve` lets any number of them go on beside each other.)",
      );
    }
    await new Promise<void>((resolve) => void host.clock.after(TRY_INTERVAL_MS, resolve));
  }
}
