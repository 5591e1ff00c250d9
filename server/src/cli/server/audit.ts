import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { type Call, optionOf } from "#cli/call";
import type { CliContext } from "#cli/context";
import { CommandError, UsageError } from "#cli/failure";
import { inColumns } from "#cli/terminal/columns";
import type { AuditEntry } from "#plumbing/audit-log";
import { codeOf } from "#plumbing/errors";
import { dataFolderPaths } from "#plumbing/files/data-folder";
import { parseJson } from "#plumbing/formats/json";
import { printable } from "#plumbing/text/printable";

const SHOWN_BY_DEFAULT = 100;
const CELL_MAX_LENGTH = 80;

/** Prints the newest entries of the audit log, the oldest of them first. */
export async function audit(cli: CliContext, call: Call): Promise<void> {
  const entries = await newestEntries(dataFolderPaths(cli.dataFolder(call.settings)).audit, {
    most: countOf(optionOf(call, "last")),
    user: optionOf(call, "user"),
    run: optionOf(call, "run"),
  });
  if (call.flags("json")) return cli.print(JSON.stringify(entries));
  for (const line of inColumns([
    ["TIME (UTC)", "USER", "FROM", "ACTION", "ON", "OUTCOME"],
    ...entries.map(rowOf),
  ]))
    cli.print(line);
}

function countOf(text: string | undefined): number {
  if (text === undefined) return SHOWN_BY_DEFAULT;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`--last ${text}: it must be a number from 1 on.`);
}

interface Wanted {
  readonly most: number;
  readonly user: string | undefined;
  readonly run: string | undefined;
}

async function newestEntries(file: string, { most, user, run }: Wanted): Promise<AuditEntry[]> {
  const newest: AuditEntry[] = [];
  for await (const line of linesOf(file)) {
    const entry = parseJson(line) as AuditEntry;
    if (user !== undefined && entry.user !== user) continue;
    if (run !== undefined && entry.subject["run"] !== run) continue;
    newest.push(entry);
    if (newest.length > most) newest.shift();
  }
  return newest;
}

/** Reads the whole lines of the file. The last line may be one that is being written. */
async function* linesOf(file: string): AsyncGenerator<string> {
  try {
    for await (const line of createInterface({ input: createReadStream(file) }))
      if (line.endsWith("}")) yield line;
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    throw new CommandError(`There is no audit log ${file}: no server has run on this data folder.`);
  }
}

function rowOf({ time, user, ip, action, subject, status }: AuditEntry): string[] {
  const about = Object.entries(subject).map(([name, value]) => `${name}=${value}`);
  const cells = [time, user, ip ?? "-", action, about.join(" ") || "-", outcomeOf(status)];
  return cells.map((cell) => printable(cell, CELL_MAX_LENGTH));
}

function outcomeOf(status: number | undefined): string {
  if (status === undefined || status < 400) return "done";
  return `${status < 500 ? "refused" : "failed"} (${status})`;
}
