import { ApiError } from "reprise-sdk";
import { CommandError } from "#cli/failure";
import { connectTo, maybeLiveServer, patienceOf } from "#cli/live-server";
import type { RunService } from "#cli/run/run-service";
import { runsOverHttp } from "#cli/run/runs-over-http";
import type { Clock } from "#plumbing/clock";
import { dataFolderPaths } from "#plumbing/data-folder";
import { maybeReadFile } from "#plumbing/secret-file";

/** By the server of a data folder that is in use; nothing while none answers. */
export async function maybeServedRuns(
  folder: string,
  clock: Clock,
  say: (sentence: string) => void,
): Promise<RunService | undefined> {
  const server = await maybeLiveServer(folder);
  const token = (await maybeReadFile(dataFolderPaths(folder).adminToken))?.trim();
  if (server === undefined || !token) return undefined;
  const client = connectTo(server, token, patienceOf(clock, server.url, say));
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
