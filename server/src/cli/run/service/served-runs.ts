import { ApiError } from "reprise-sdk";
import { CommandError } from "#cli/failure";
import type { CliContext, SettingOptions } from "#cli/context";
import { connectTo, maybeLiveServer, retryNotices } from "#cli/connection/live-server";
import { maybeNamedClient } from "#cli/connection/open-client";
import type { ServerOptions } from "#cli/connection/server-variables";
import type { RunService } from "#cli/run/service/run-service";
import { runsOverHttp } from "#cli/run/service/runs-over-http";
import type { Clock } from "#plumbing/clock";
import { dataFolderPaths } from "#plumbing/files/data-folder";
import { maybeReadFile } from "#plumbing/secrets/secret-file";

/** Carries out runs on the server that the options or the environment name. */
export async function namedRuns(
  cli: CliContext,
  settings: SettingOptions,
  options: ServerOptions,
  say: (sentence: string) => void,
): Promise<RunService> {
  const client = await maybeNamedClient(cli, { settings, options: () => ({ ...options }) }, say);
  if (client === undefined) throw new Error("The caller has seen that a server is named.");
  await client.GET("/api/you");
  return runsOverHttp(client);
}

/** Carries out runs on the server of a data folder that is in use. Returns undefined while no server responds. */
export async function maybeServedRuns(
  folder: string,
  clock: Clock,
  say: (sentence: string) => void,
): Promise<RunService | undefined> {
  const server = await maybeLiveServer(folder);
  const token = (await maybeReadFile(dataFolderPaths(folder).adminToken))?.trim();
  if (server === undefined || !token) return undefined;
  const client = connectTo(server, token, retryNotices(clock, server.url, say));
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
