import type { RepriseClient } from "reprise-sdk";
import { CommandError } from "#cli/failure";
import { connectTo, maybeLiveServer } from "#cli/connection/live-server";
import { dataFolderPaths } from "#plumbing/files/data-folder";
import { maybeReadFile } from "#plumbing/secrets/secret-file";

/**
 * Returns a client for the server on the data folder, with the administrator's token. Call it only if the folder's lock
 * is held: a killed server leaves its address behind, and the token must not reach a stranger on that port.
 */
export async function adminClient(folder: string): Promise<RepriseClient> {
  const server = await maybeLiveServer(folder);
  const token = (await maybeReadFile(dataFolderPaths(folder).adminToken))?.trim();
  if (server === undefined || !token) {
    throw new CommandError(
      `The data folder ${folder} is in use, but its server has not published its address yet. Try again in a moment.`,
    );
  }
  return connectTo(server, token);
}
