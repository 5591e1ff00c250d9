import { NoAnswerError, type RepriseClient } from "reprise-sdk";
import { inColumns } from "#cli/terminal/columns";
import { CommandError, EXIT_FAILURE } from "#cli/failure";
import type { CliContext } from "#cli/context";
import type { Call } from "#cli/call";
import { confirm } from "#cli/terminal/confirm";
import { openClient, withReadingClient } from "#cli/connection/open-client";
import { warnOfReplacedResults } from "#cli/files/results-note";
import { chosenRun, fullNameOf, runParams } from "#cli/run-address";
import { localTime } from "#cli/terminal/times";
import { shortSize } from "#plumbing/text/human-size";
import { printable } from "#plumbing/text/printable";

/** The commands for workspace files that transfer no content. */

const NAME_SHOWN_MAX = 4096;

export async function listFiles(cli: CliContext, call: Call): Promise<void> {
  const run = chosenRun(cli, call);
  const [pattern] = call.args;
  const params = { ...runParams(run), query: pattern === undefined ? {} : { file_name: pattern } };
  const { data } = await withReadingClient(cli, call, async (client) => {
    const listing = await client.GET("/api/workflows/{workflow_id_or_name}/workspace", { params });
    await warnOfReplacedResults(cli, client, run);
    return listing;
  });
  if (call.flags("json")) return cli.print(JSON.stringify(data!.items));
  const rows = data!.items.map(({ name, size, "last-modified": modified }) => [
    String(size.raw),
    localTime(modified, cli.timeZone),
    printable(name, NAME_SHOWN_MAX),
  ]);
  for (const line of inColumns([["BYTES", `MODIFIED (${cli.timeZone})`, "NAME"], ...rows], { right: [0] }))
    cli.print(line);
}

export async function diskUsage(cli: CliContext, call: Call): Promise<void> {
  const run = chosenRun(cli, call);
  const names = call.args.length > 0 && { search: JSON.stringify({ name: call.args }) };
  const params = { ...runParams(run), query: { summarize: call.flags("summarize"), ...names } };
  const { data } = await withReadingClient(cli, call, (client) =>
    client.GET("/api/workflows/{workflow_id_or_name}/disk_usage", { params }),
  );
  const usage = data!.disk_usage_info;
  if (call.flags("json")) return cli.print(JSON.stringify(usage));
  const rows = usage.map(({ name, size }) => [shortSize(size.raw), printable(`.${name}`, NAME_SHOWN_MAX)]);
  for (const line of inColumns([["SIZE", "NAME"], ...rows], { right: [0] })) cli.print(line);
}

/** Returns the full name of a run for a question. Without a question, nothing is asked of the server. */
async function nameOf(cli: CliContext, call: Call, client: RepriseClient, run: string): Promise<string> {
  return cli.ask && !call.flags("yes") ? fullNameOf(client, run) : run;
}

/** Returns 1 if a file could not be deleted or a pattern matched nothing. */
export async function deleteFiles(cli: CliContext, call: Call): Promise<number> {
  const run = chosenRun(cli, call);
  const client = await openClient(cli, call);
  const names = call.args.map((pattern) => printable(pattern, NAME_SHOWN_MAX)).join(", ");
  await confirm(cli, call, `Delete ${names} from ${await nameOf(cli, call, client, run)}? [y/N] `);
  const deleted: Record<string, { size: number }> = {};
  const failed: Record<string, { error: string }> = {};
  for (const pattern of call.args) {
    const { data } = await client.DELETE("/api/workflows/{workflow_id_or_name}/workspace/{file_name}", {
      params: { path: { ...runParams(run).path, file_name: pattern } },
    });
    const outcome = data!;
    const isNothing = Object.keys({ ...outcome.deleted, ...outcome.failed }).length === 0;
    if (isNothing) outcome.failed[pattern] = { error: "There is nothing of that name." };
    Object.assign(deleted, outcome.deleted);
    Object.assign(failed, outcome.failed);
  }
  if (call.flags("json")) cli.print(JSON.stringify({ deleted, failed }));
  else printDeleted(cli, deleted, failed);
  return Object.keys(failed).length > 0 ? EXIT_FAILURE : 0;
}

function printDeleted(
  cli: CliContext,
  deleted: Readonly<Record<string, { size: number }>>,
  failed: Readonly<Record<string, { error: string }>>,
): void {
  for (const [name, { size }] of Object.entries(deleted)) {
    cli.print(`Deleted ${printable(name, NAME_SHOWN_MAX)} (${shortSize(size)}).`);
  }
  for (const [name, { error }] of Object.entries(failed)) {
    cli.printError(`${printable(name, NAME_SHOWN_MAX)} was not deleted: ${error}`);
  }
}

export async function moveFiles(cli: CliContext, call: Call): Promise<void> {
  const run = chosenRun(cli, call);
  const [source, target] = call.args as [string, string];
  const client = await openClient(cli, call);
  const { data } = await client
    .PUT("/api/workflows/move_files/{workflow_id_or_name}", {
      params: { ...runParams(run), query: { source, target } },
    })
    .catch((error: Error) => {
      if (error instanceof NoAnswerError) throw error;
      // REANA's sentence contains a line break; ours are single lines.
      throw new CommandError(
        error.message.replace(/^Something went wrong:\s*/, `${source} was not moved: `),
        {
          cause: error,
        },
      );
    });
  cli.print(call.flags("json") ? JSON.stringify(data) : `Moved ${source} to ${target}.`);
}
