import { ApiError } from "reprise-sdk";
import { CommandError } from "#cli/failure";
import type { CliHost, SettingOptions } from "#cli/host";
import { connectTo, maybeLiveServer } from "#cli/live-server";
import type { RunService } from "#cli/run/run-service";
import { runsOverHttp } from "#cli/run/runs-over-http";
import { dataFolderPaths } from "#plumbing/data-folder";
import { maybeReadFile } from "#plumbing/secret-file";

/** How often a data folder is tried that another process uses which serves nothing. */
const TRY_INTERVAL_MS = 300;

/**
 * This process itself when nobody else uses the data folder, else its server. Another `reprise run` serves nothing and
 * does not last for ever, and a server that begins or ends has no address for a moment: both are waited for.
 */
export async function openRunService(host: CliHost, settings: SettingOptions): Promise<RunService> {
  for (let tries = 0; ; tries += 1) {
    const own = await host.openRuns(settings);
    if (own !== undefined) return own;
    const folder = host.dataFolder(settings);
    const beside = await maybeServed(folder);
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

async function maybeServed(folder: string): Promise<RunService | undefined> {
  const server = await maybeLiveServer(folder);
  const token = (await maybeReadFile(dataFolderPaths(folder).adminToken))?.trim();
  if (server === undefined || !token) return undefined;
  const client = connectTo(server, token);
  try {
    await client.GET("/api/you");
  } catch (error) {
    if (error instanceof ApiError && error.status === 0) return undefined;
    if (error instanceof ApiError) throw refusedByServer(server.url, error);
    throw error;
  }
  return runsOverHttp(client);
}

function refusedByServer(url: string, error: ApiError): CommandError {
  return new CommandError(`The server at ${url} uses this data folder, and refuses: ${error.message}`);
}
