import { CommandError } from "#cli/failure";
import type { CliHost, SettingOptions } from "#cli/host";
import { connectTo, maybeLiveServer } from "#cli/live-server";
import type { UserAdmin } from "#cli/user-admin";
import { usersOverHttp } from "#cli/users-over-http";
import { dataFolderPaths } from "#plumbing/data-folder";
import { maybeReadFile } from "#plumbing/secret-file";

/**
 * The lock on the data folder says whether a server lives, not the address that the last one left: a killed server
 * leaves that behind, and whoever has the port by then must not be sent the administrator's token.
 */
export async function openUserAdmin(host: CliHost, settings: SettingOptions): Promise<UserAdmin> {
  const users = await host.openUsers(settings);
  if (users !== undefined) return users;
  const folder = host.dataFolder(settings);
  const server = await maybeLiveServer(folder);
  const token = (await maybeReadFile(dataFolderPaths(folder).adminToken))?.trim();
  if (server === undefined || !token) {
    throw new CommandError(
      `The data folder ${folder} is in use, but its server does not say yet where it listens. Try again in a moment.`,
    );
  }
  return usersOverHttp(connectTo(server, token));
}
