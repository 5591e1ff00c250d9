import { adminClient } from "#cli/admin-client";
import type { CliHost, SettingOptions } from "#cli/host";
import type { UserAdmin } from "#cli/user-admin";
import { usersOverHttp } from "#cli/users-over-http";

/** On the data folder itself; beside a live server, through its API. */
export async function openUserAdmin(host: CliHost, settings: SettingOptions): Promise<UserAdmin> {
  const users = await host.openUsers(settings);
  return users ?? usersOverHttp(await adminClient(host.dataFolder(settings)));
}
