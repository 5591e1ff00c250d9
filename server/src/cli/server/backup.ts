import path from "node:path";
import type { Call } from "#cli/call";
import { warnServerUnused } from "#cli/connection/server-variables";
import type { BackupReport, CliContext } from "#cli/context";

/** `reprise backup` and `reprise restore`: print the result and the next step. */
export async function backUp(cli: CliContext, { args, settings, flags }: Call): Promise<void> {
  const target = args[0]!;
  warnServerUnused(cli, settings, "backup");
  const report = await cli.backUp(settings, target);
  const folder = path.resolve(target);
  tellLeftOut(cli, report);
  if (flags("json")) return cli.print(JSON.stringify({ backup: folder, ...summaryOf(report) }));
  cli.print(
    `Backed up ${cli.dataFolder(settings)} to ${folder}, verified: ${outline(report)}.\n` +
      "It contains the keys: protect it like the data folder.",
  );
}

export async function restore(cli: CliContext, { args, settings, flags }: Call): Promise<void> {
  warnServerUnused(cli, settings, "restore");
  const report = await cli.restore(settings, args[0]!);
  const folder = cli.dataFolder(settings);
  if (flags("json")) return cli.print(JSON.stringify({ data_folder: folder, ...summaryOf(report) }));
  cli.print(
    `Restored ${folder} as it was at ${report.created_at}: ${outline(report)}.\n` +
      `Jobs that were running then count as lost. Next: reprise serve --data ${folder}`,
  );
}

function outline({ tables, files }: BackupReport): string {
  return `${tables.users?.rows ?? 0} users, ${tables.runs?.rows ?? 0} runs, ${files.count} files and folders`;
}

function summaryOf({ version, created_at, database, tables, files, left_out }: BackupReport) {
  const [users, runs] = [tables.users?.rows ?? 0, tables.runs?.rows ?? 0];
  return { version, created_at, database, users, runs, files: files.count, left_out };
}

/** The number of left-out files that are listed by name. */
const NAMED_MAX = 10;

function tellLeftOut(cli: CliContext, { left_out: leftOut }: BackupReport): void {
  if (leftOut.length === 0) return;
  const more = leftOut.length > NAMED_MAX ? ` and ${leftOut.length - NAMED_MAX} more` : "";
  cli.printError(
    `Not in the backup, because they could not be read: ${leftOut.slice(0, NAMED_MAX).join(", ")}${more}.`,
  );
}
