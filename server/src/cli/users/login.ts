import type { Call } from "#cli/call";
import { openClient } from "#cli/connection/open-client";
import { signInUrl } from "#cli/connection/sign-in-url";
import type { CliContext } from "#cli/context";

/** Prints an address that signs a browser in to the web page. */
export async function login(cli: CliContext, call: Call): Promise<void> {
  const url = await signInUrl(await openClient(cli, call));
  if (call.flags("json")) return cli.print(JSON.stringify({ url }));
  cli.printError("Open this address in a browser. It signs in once, within ten minutes:");
  cli.print(url);
}
