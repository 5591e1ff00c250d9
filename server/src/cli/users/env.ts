import { UsageError } from "#cli/failure";
import type { CliContext } from "#cli/context";
import { type Call, optionOf } from "#cli/call";
import { findServer, type ServerAddress } from "#cli/connection/open-client";
import { shellQuote } from "#plumbing/text/shell-quote";

/**
 * Prints shell commands that point REANA's programs to this server: `eval "$(reprise env)"`. reana-client 0.9
 * reads REANA_SERVER_URL; 0.95 refuses to work while the variable is set, and stores the address itself.
 */
export async function env(cli: CliContext, call: Call): Promise<void> {
  const client = optionOf(call, "client") ?? "0.9";
  if (client !== "0.9" && client !== "0.95") {
    throw new UsageError(`--client ${client}: 0.9 or 0.95 is expected, the generation of reana-client.`);
  }
  const server = await findServer(cli, call);
  const [workon] = call.args;
  if (call.flags("json")) return cli.print(JSON.stringify(variables(server, workon)));
  for (const [name, value] of Object.entries(variables(server, workon))) {
    if (client === "0.9" || name !== "REANA_SERVER_URL") cli.print(`export ${name}=${shellQuote(value)}`);
  }
  for (const line of client === "0.95" ? forNewClient(server) : []) cli.print(line);
}

function variables({ url, token }: ServerAddress, workon: string | undefined): Record<string, string> {
  return {
    REPRISE_SERVER: url,
    REPRISE_TOKEN: token,
    ...(workon !== undefined && { REPRISE_WORKON: workon }),
    REANA_SERVER_URL: url,
    REANA_ACCESS_TOKEN: token,
    ...(workon !== undefined && { REANA_WORKON: workon }),
  };
}

function forNewClient({ url }: ServerAddress): string[] {
  const address = shellQuote(url);
  return [
    "unset REANA_SERVER_URL",
    `reana-client server-add ${address}`,
    `reana-client server-use ${address}`,
  ];
}
