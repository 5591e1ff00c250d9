import type { Call } from "#cli/call";
import { openClient } from "#cli/connection/open-client";
import { publicUrlOf } from "#cli/connection/sign-in-url";
import type { CliContext } from "#cli/context";

/** Invites a colleague and prints the address of the first sign-in. */
export async function invite(cli: CliContext, call: Call): Promise<void> {
  const client = await openClient(cli, call);
  const { data } = await client.POST("/api/admin/invitations", { body: { email: call.args[0]! } });
  const { email, path, expires } = data!;
  const url = `${await publicUrlOf(client)}${path}`;
  if (call.flags("json")) return cli.print(JSON.stringify({ email, url, expires }));
  cli.printError(`Send this address to ${email}. It signs in once, until ${expires.slice(0, 10)}:`);
  cli.print(url);
}
