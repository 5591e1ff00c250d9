import { fittedColumns } from "#cli/terminal/columns";
import { UsageError } from "#cli/failure";
import type { CliContext } from "#cli/context";
import { type Call, optionOf, optionsOf } from "#cli/call";
import { withReadingClient } from "#cli/connection/open-client";
import { CURRENT_STATUSES } from "#workflow/run/run-status";
import { statusHead, statusRow } from "#cli/runs/watch/status-row";

const COUNT_USUAL = 20;

/** Lists the user's runs, the newest first. */
export async function list(cli: CliContext, call: Call): Promise<void> {
  const size = countOf(optionOf(call, "count"));
  const [name] = call.args;
  const status = optionsOf(call, "status");
  const [sharedBy, sharedWith] = [optionOf(call, "sharedBy"), optionOf(call, "sharedWith")];
  const tag = optionOf(call, "tag");
  const query = {
    page: 1,
    size,
    include_progress: true,
    // With a name, the server lists deleted runs too unless the statuses are given.
    ...(name !== undefined && { workflow_id_or_name: name, status: [...CURRENT_STATUSES] }),
    ...(status.length > 0 && { status: [...status] }),
    ...(tag !== undefined && { tag }),
    ...(call.flags("shared") && { shared: true }),
    ...(sharedBy !== undefined && { shared_by: sharedBy }),
    ...(sharedWith !== undefined && { shared_with: sharedWith }),
  };
  const { data } = await withReadingClient(cli, call, (client) =>
    client.GET("/api/workflows", { params: { query } }),
  );
  const { items, total } = data as Exclude<typeof data, readonly unknown[] | undefined>;
  if (call.flags("json")) return cli.print(JSON.stringify(items));
  const namesPeople = call.flags("shared") || sharedBy !== undefined || sharedWith !== undefined;
  const tableOf = (isShort: boolean) => [
    [...statusHead(cli, isShort), ...(namesPeople ? ["OWNER", "SHARED WITH"] : [])],
    ...items.map((run) => [
      ...statusRow(cli, run, isShort),
      ...(namesPeople ? [run.owner_email, run.shared_with.join(", ") || "-"] : []),
    ]),
  ];
  const width = cli.isTerminal ? cli.screen?.columns() : undefined;
  for (const line of fittedColumns(width ?? Infinity, tableOf)) cli.print(line);
  if (total > items.length)
    cli.printError(`These are the newest ${items.length} of ${total}: --count shows more.`);
}

function countOf(text: string | undefined): number {
  const count = text === undefined ? COUNT_USUAL : Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new UsageError(`--count ${text}: a whole number from 1 on is expected.`);
}
