import path from "node:path";
import type { BackupReport, CliHost, SettingOptions } from "#cli/host";

/** `reprise backup` and `reprise restore`: print the result and the next step. */
export async function backUp(
  host: CliHost,
  settings: SettingOptions,
  { target, asJson }: { readonly target: string; readonly asJson: boolean },
): Promise<void> {
  const report = await host.backUp(settings, target);
  const folder = path.resolve(target);
  tellLeftOut(host, report);
  if (asJson) return host.print(JSON.stringify({ backup: folder, ...summaryOf(report) }));
  host.print(
    `Backed up ${host.dataFolder(settings)} to ${folder}, verified: ${outline(report)}.\n` +
      "It contains the keys: protect it like the data folder.",
  );
}

export async function restore(
  host: CliHost,
  settings: SettingOptions,
  { source, asJson }: { readonly source: string; readonly asJson: boolean },
): Promise<void> {
  const report = await host.restore(settings, source);
  const folder = host.dataFolder(settings);
  if (asJson) return host.print(JSON.stringify({ data_folder: folder, ...summaryOf(report) }));
  host.print(
    `Restored ${folder} as it was at ${report.created_at}: ${outline(report)}.\n` +
      `Jobs that were running then count as lost. Next: reprise serve --data ${folder}`,
  );
}

function outline({ tables, files }: BackupReport): string {
  return `${tables.users?.rows ?? 0} users, ${tables.workflows?.rows ?? 0} runs, ${files.count} files and folders`;
}

function summaryOf({ version, created_at, database, tables, files, left_out }: BackupReport) {
  const [users, runs] = [tables.users?.rows ?? 0, tables.workflows?.rows ?? 0];
  return { version, created_at, database, users, runs, files: files.count, left_out };
}

/** The number of left-out files that are listed by name. */
const NAMED_MAX = 10;

function tellLeftOut(host: CliHost, { left_out: leftOut }: BackupReport): void {
  if (leftOut.length === 0) return;
  const more = leftOut.length > NAMED_MAX ? ` and ${leftOut.length - NAMED_MAX} more` : "";
  host.complain(
    `Not in the backup, because they could not be read: ${leftOut.slice(0, NAMED_MAX).join(", ")}${more}.`,
  );
}
