import { ImportCounts } from "#reana/import-report";
import { importUsers, type UserSink } from "#reana/import-users";
import { importRuns, type RunSink } from "#reana/import-runs";
import type { ReanaImportReport } from "#workflow/reports";

/**
 * Takes the users, tokens and runs of a REANA over into this server. Each part is committed on its own, and what is here
 * already is not taken again: an interrupted import continues where it was, and a later import takes what is new.
 */
export type ImportOptions = UserSink & RunSink;

export async function importReana(options: ImportOptions): Promise<ReanaImportReport> {
  const counts = new ImportCounts();
  const users = await importUsers(options.source, options, counts);
  await importRuns(options, users, counts);
  return counts.report(options.source.revision);
}
