import { ApiError } from "reprise-sdk";
import { CommandError } from "#cli/failure";
import type { CliContext } from "#cli/context";
import type { Call } from "#cli/call";
import { openBrowser } from "#cli/runs/open-browser";
import { openClient } from "#cli/connection/open-client";
import { of, chosenRun } from "#cli/runs/run-address";

/** Shows a run in the browser, and prints its address. */
export async function open(cli: CliContext, call: Call): Promise<void> {
  const run = chosenRun(cli, call, call.args[0]);
  const client = await openClient(cli, call);
  const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/status", { params: of(run) });
  const page = `/workflows/${data!.id}`;
  await client.send(page).catch((error: unknown) => {
    throw error instanceof ApiError && error.status === 404 ? noPage(client.url) : error;
  });
  const url = client.url + page;
  if (call.flags("json")) return cli.print(JSON.stringify({ url }));
  cli.print(url);
  await openBrowser(url, cli.environment);
}

function noPage(url: string): CommandError {
  return new CommandError(
    `This server has no web page for runs. Use "reprise status" or "reprise logs"; API docs: ${url}/api/docs.`,
  );
}
