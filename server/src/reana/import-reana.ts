import { ImportCounts } from "#reana/import-report";
import { importSecrets, type SecretSink } from "#reana/import-secrets";
import { importUsers, type UserSink } from "#reana/import-users";
import { importRuns, type RunSink } from "#reana/import-runs";
import type { ReanaImportReport } from "#workflow/reports";

/**
 * Takes the users, tokens, secrets and runs of a REANA over into this server. Each part is committed on its own, and what is here
 * already is not taken again: an interrupted import continues where it was, and a later import takes what is new.
 */
export type ImportOptions = UserSink & SecretSink & RunSink;

export async function importReana(options: ImportOptions): Promise<ReanaImportReport> {
  const counts = new ImportCounts();
  const users = await importUsers(options.source, options, counts);
  await importSecrets(options, users, counts);
  await importRuns(options, users, counts);
  const projects = (await options.source.projects()).map(({ project, userId }) => {
    return { project, email: users.get(userId)?.email ?? userId };
  });
  return counts.report(options.source.revision, projects);
}
