import type { RepriseClient } from "reprise-sdk";
import { CommandError } from "#cli/failure";
import { connectTo, maybeLiveServer } from "#cli/live-server";
import { dataFolderPaths } from "#plumbing/data-folder";
import { maybeReadFile } from "#plumbing/secret-file";

/**
 * The server that lives on the data folder, asked as its administrator. Only where the folder's lock says that one
 * lives: a killed server leaves its address behind, and whoever has the port by then must not be sent the token.
 */
export async function adminClient(folder: string): Promise<RepriseClient> {
  const server = await maybeLiveServer(folder);
  const token = (await maybeReadFile(dataFolderPaths(folder).adminToken))?.trim();
  if (server === undefined || !token) {
    throw new CommandError(
      `The data folder ${folder} is in use, but its server does not say yet where it listens. Try again in a moment.`,
    );
  }
  return connectTo(server, token);
}
