import { adminClient } from "#cli/connection/admin-client";
import type { CliContext } from "#cli/context";
import type { Call } from "#cli/call";
import { maybeNamedClient } from "#cli/connection/open-client";
import type { UserAdmin } from "#cli/users/user-admin";
import { usersOverHttp } from "#cli/users/users-over-http";

/** Opens the users of the named server, or else of the data folder: through the API if a server is running on it. */
export async function openUserAdmin(
  cli: CliContext,
  call: Pick<Call, "options" | "settings">,
): Promise<UserAdmin> {
  const named = await maybeNamedClient(cli, call);
  if (named) return usersOverHttp(named);
  const users = await cli.openUsers(call.settings);
  return users ?? usersOverHttp(await adminClient(cli.dataFolder(call.settings)));
}
