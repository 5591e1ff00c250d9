import type { Call } from "#cli/call";
import { optionOf, optionsOf } from "#cli/call";
import { openClient } from "#cli/connection/open-client";
import type { CliContext } from "#cli/context";
import { inColumns } from "#cli/terminal/columns";
import type { operations } from "reprise-sdk";

type Query = NonNullable<operations["list-all-runs"]["parameters"]["query"]>;

/** Lists the runs of all users for the administrator: the status of each, and what the live ones wait for. */
export async function listAllRuns(cli: CliContext, call: Call): Promise<void> {
  const user = optionOf(call, "user");
  // The server refuses unknown statuses.
  const status = optionsOf(call, "status") as NonNullable<Query["status"]>;
  const query = { size: 100, ...(user !== undefined && { user }), ...(status.length > 0 && { status }) };
  const { data } = await (await openClient(cli, call)).GET("/api/admin/runs", { params: { query } });
  const { items, total } = data!;
  if (call.flags("json")) return cli.print(JSON.stringify(items));
  const rows = items.map((run) => [
    run.name,
    run.owner_email,
    run.status,
    `${run.jobs.finished}/${run.jobs.total}`,
    run.created.slice(0, 16).replace("T", " "),
    run.waiting_for ?? "-",
  ]);
  const head = ["NAME", "OWNER", "STATUS", "JOBS", "CREATED (UTC)", "WAITS FOR"];
  for (const line of inColumns([head, ...rows])) cli.print(line);
  if (total > items.length) cli.printError(`These are the newest ${items.length} of ${total}.`);
}
