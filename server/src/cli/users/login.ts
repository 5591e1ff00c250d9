import { type Call, optionOf } from "#cli/call";
import { lacksToken, openClient } from "#cli/connection/open-client";
import { signInUrl } from "#cli/connection/sign-in-url";
import type { CliContext } from "#cli/context";
import { loginByProvider } from "#cli/users/device-login";

/** Prints an address that signs a browser in to the web page. Without a token for the server, gets a token by a provider. */
export async function login(cli: CliContext, call: Call): Promise<void> {
  const isByProvider = optionOf(call, "provider") !== undefined || optionOf(call, "save") !== undefined;
  if (isByProvider || (await lacksToken(cli, call))) return loginByProvider(cli, call);
  const url = await signInUrl(await openClient(cli, call));
  if (call.flags("json")) return cli.print(JSON.stringify({ url }));
  cli.printError("Open this address in a browser. It signs in once, within ten minutes:");
  cli.print(url);
}
