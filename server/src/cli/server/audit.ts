import { type Call, optionOf } from "#cli/call";
import type { CliContext } from "#cli/context";
import { CommandError, UsageError } from "#cli/failure";
import { inColumns } from "#cli/terminal/columns";
import { type AuditEntries, type AuditEntry, newestAuditEntries } from "#plumbing/audit-log";
import { codeOf } from "#plumbing/errors";
import { dataFolderPaths } from "#plumbing/files/data-folder";
import { counted } from "#plumbing/text/counted";
import { printable } from "#plumbing/text/printable";

const SHOWN_BY_DEFAULT = 100;
const CELL_MAX_LENGTH = 80;

/** Prints the newest entries of the audit log, the oldest of them first. */
export async function audit(cli: CliContext, call: Call): Promise<void> {
  const { entries, unreadable } = await wantedEntries(
    dataFolderPaths(cli.dataFolder(call.settings)).audit,
    call,
  );
  if (unreadable > 0)
    cli.printError(
      `${counted(unreadable, "line")} of the audit log cannot be read. A full disk can leave a part of a line.`,
    );
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

async function wantedEntries(file: string, call: Call): Promise<AuditEntries> {
  const [user, run] = [optionOf(call, "user"), optionOf(call, "run")];
  const isWanted = (entry: AuditEntry) =>
    (user === undefined || entry.user === user) &&
    (run === undefined || [entry.subject["run"], entry.subject["run_id"]].includes(run));
  try {
    return await newestAuditEntries(file, { most: countOf(optionOf(call, "last")), isWanted });
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    throw new CommandError(`There is no audit log ${file}: no server has run on this data folder.`);
  }
}

function rowOf({ time, user, ip, action, subject, status }: AuditEntry): string[] {
  // The log file has both the id and the name of a run. Only the name is shown.
  const about = Object.entries(subject).flatMap(([name, value]) =>
    name === "run_id" ? [] : [`${name}=${value}`],
  );
  const cells = [time, user, ip ?? "-", action, about.join(" ") || "-", outcomeOf(status)];
  return cells.map((cell) => printable(cell, CELL_MAX_LENGTH));
}

function outcomeOf(status: number | undefined): string {
  if (status === undefined || status < 400) return "done";
  return `${status < 500 ? "refused" : "failed"} (${status})`;
}
