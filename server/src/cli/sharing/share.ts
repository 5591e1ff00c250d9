import type { RepriseClient } from "reprise-sdk";
import type { Call } from "#cli/call";
import { optionOf } from "#cli/call";
import { openClient } from "#cli/connection/open-client";
import type { CliContext } from "#cli/context";
import { UsageError } from "#cli/failure";
import { chosenRun, runParams } from "#cli/run-address";
import { inColumns } from "#cli/terminal/columns";

/**
 * Shares a run with each user or group. Without arguments, lists the run's readers. Stops at the first
 * failure and names the user or group.
 */
export async function share(cli: CliContext, call: Call): Promise<void> {
  const run = chosenRun(cli, call);
  const [until, message] = [optionOf(call, "until"), optionOf(call, "message")];
  if (call.args.length === 0 && (until !== undefined || message !== undefined))
    throw new UsageError("Name the users or groups to share with.");
  const client = await openClient(cli, call);
  if (call.args.length === 0) return listReaders(cli, call, client, run);
  for (const who of call.args) {
    const body = {
      user_email_to_share_with: who,
      ...(until !== undefined && { valid_until: until }),
      ...(message !== undefined && { message }),
    };
    const { data } = await client.POST("/api/workflows/{workflow_id_or_name}/share", {
      params: runParams(run),
      body,
    });
    const sentence = `Shared ${data!.workflow_name} with ${who}, to read${until === undefined ? "" : ` until ${until}`}.`;
    cli.print(call.flags("json") ? JSON.stringify({ workflow: data!.workflow_name, with: who }) : sentence);
  }
}

async function listReaders(cli: CliContext, call: Call, client: RepriseClient, run: string): Promise<void> {
  const path = "/api/workflows/{workflow_id_or_name}/share-status";
  const { shared_with: readers, workflow_name: name } = (await client.GET(path, { params: runParams(run) }))
    .data!;
  if (call.flags("json")) return cli.print(JSON.stringify(readers));
  if (readers.length === 0) return cli.print(`${name} is shared with nobody.`);
  const rows = readers.map((reader) => [reader.user_email, reader.valid_until?.slice(0, 10) ?? "-"]);
  for (const line of inColumns([["WITH", "UNTIL (UTC)"], ...rows])) cli.print(line);
}

export async function unshare(cli: CliContext, call: Call): Promise<void> {
  const run = chosenRun(cli, call);
  const client = await openClient(cli, call);
  for (const who of call.args) {
    const { data } = await client.POST("/api/workflows/{workflow_id_or_name}/unshare", {
      params: runParams(run),
      body: { user_email_to_unshare_with: who },
    });
    const sentence = `${data!.workflow_name} is no longer shared with ${who}.`;
    cli.print(
      call.flags("json") ? JSON.stringify({ workflow: data!.workflow_name, without: who }) : sentence,
    );
  }
}
