import type { CliContext } from "#cli/context";
import { type Call, optionOf } from "#cli/call";
import { openBrowser } from "#cli/runs/open-browser";
import { openClient } from "#cli/connection/open-client";
import { signInUrl } from "#cli/connection/sign-in-url";
import { runParams, chosenRun } from "#cli/run-address";

/**
 * Signs a browser in, opens the page in it, and prints the address. If no browser can be opened, the printed address
 * signs in, because the person will open it by hand.
 */
export async function open(cli: CliContext, call: Call): Promise<void> {
  const client = await openClient(cli, call);
  let page = "/runs";
  if (namesRun(cli, call)) {
    const run = chosenRun(cli, call, call.args[0]);
    const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/status", {
      params: runParams(run),
    });
    page = `/runs/${data!.id}`;
  }
  const withCode = await signInUrl(client, page);
  if (call.flags("json")) return cli.print(JSON.stringify({ url: client.url + page, sign_in_url: withCode }));
  const isOpened = await openBrowser(withCode, cli.environment);
  cli.print(isOpened ? client.url + page : withCode);
}

function namesRun({ environment }: CliContext, call: Call): boolean {
  const named = call.args[0] ?? optionOf(call, "workflow");
  return named !== undefined || Boolean(environment["REPRISE_WORKON"] || environment["REANA_WORKON"]);
}
