import { type Call, optionOf } from "#cli/call";
import type { CliContext } from "#cli/context";
import { CommandError } from "#cli/failure";
import { clientFor } from "#cli/server/hosts";
import { inColumns } from "#cli/terminal/columns";
import { counted } from "#plumbing/text/counted";
import { shortSize } from "#plumbing/text/human-size";

/** `reprise retention`: what the server is going to delete by itself, and more time for a run. */

const LOOK_AHEAD_DAYS = 7;
const EXTENSION_DAYS = 30;

/** Lists the next deletions, for the administrator. */
export async function previewRetention(cli: CliContext, call: Call): Promise<void> {
  const days = daysOf(call, LOOK_AHEAD_DAYS);
  const client = await clientFor(cli, call);
  const { data } = await client.GET("/api/admin/retention", { params: { query: { days } } });
  if (call.flags("json")) return cli.print(JSON.stringify(data));
  const { items, has_more: hasMore } = data!;
  if (items.length === 0) return cli.print(`Nothing is deleted within ${counted(days, "day")}.`);
  const rows = items.map((one) => [
    minuteOf(one.due),
    one.owner_email,
    one.run_name,
    one.run_id,
    one.workspace_files ?? "the whole run",
    String(one.files),
    shortSize(one.bytes),
  ]);
  const head = ["DUE (UTC)", "OWNER", "RUN", "ID", "DELETES", "FILES", "SIZE"];
  for (const line of inColumns([head, ...rows])) cli.print(line);
  if (hasMore) cli.printError("There are more: only the first 100 of each kind are counted.");
}

/** Gives the files of a run more time, and prints when each rule is applied. */
export async function extendRetention(cli: CliContext, call: Call): Promise<void> {
  const days = daysOf(call, EXTENSION_DAYS);
  const client = await clientFor(cli, call);
  const { data } = await client.PATCH("/api/workflows/{workflow_id_or_name}/retention_rules", {
    params: { path: { workflow_id_or_name: call.args[0]! } },
    body: { extend_days: days },
  });
  if (call.flags("json")) return cli.print(JSON.stringify(data));
  const { workflow_name: name, retention_rules: rules } = data!;
  for (const { workspace_files: pattern, retention_days: after, apply_on: due, status } of rules) {
    if (status !== "created" && status !== "active") continue;
    const when = due === null ? "" : `, on ${minuteOf(due)} UTC`;
    cli.print(`${name}: ${pattern} is deleted ${counted(after, "day")} after the end of the run${when}.`);
  }
}

function minuteOf(time: string): string {
  return time.slice(0, 16).replace("T", " ");
}

/** Returns `--days` or the default. */
export function daysOf(call: Call, usual: number): number {
  const text = optionOf(call, "days");
  if (text === undefined) return usual;
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new CommandError(`--days ${text} is not valid: give a whole number such as 30.`);
}
