import { statSync } from "node:fs";
import { type Finding, missing, ok } from "#cli/server/doctor/finding";
import { connectTo, maybeLiveServer } from "#cli/connection/live-server";
import type { CliContext, DatabaseReport, SettingOptions } from "#cli/context";
import { messageOf } from "#plumbing/errors";
import { counted } from "#plumbing/text/counted";
import { shortSize } from "#plumbing/text/human-size";

const NAME = "database";

export async function checkDatabase(cli: CliContext, settings: SettingOptions): Promise<Finding> {
  try {
    return (await findingOfLive(cli, settings)) ?? findingOf(await cli.reportDatabase(settings));
  } catch (error) {
    const reason = (error as { readonly reason?: string }).reason ?? messageOf(error).replace(/\.$/, "");
    return missing(
      NAME,
      `${reason}. Check REPRISE_DATABASE, and that PostgreSQL is running and accepts this user.`,
    );
  }
}

/**
 * Checks the live server's PostgreSQL if this shell does not name the database: only the server can connect.
 */
async function findingOfLive(cli: CliContext, settings: SettingOptions): Promise<Finding | undefined> {
  if (cli.environment["REPRISE_DATABASE"] || !(await cli.isFolderInUse(settings))) return undefined;
  const server = await maybeLiveServer(cli.dataFolder(settings));
  if (!server?.database?.startsWith("PostgreSQL")) return undefined;
  const name = `${server.database}, as the running server uses it`;
  try {
    await connectTo(server).GET("/readyz");
    return ok(NAME, `${name}, answers`);
  } catch (error) {
    return missing(NAME, `${name}: ${messageOf(error)}`);
  }
}

function findingOf(report: DatabaseReport): Finding {
  if (report.database === "SQLite") {
    const size = sqliteBytes(report.file);
    if (size === undefined) return ok(NAME, "SQLite; it will be made at the first start");
    return ok(NAME, `SQLite, ${shortSize(size)} in ${report.file}`);
  }
  const name = `PostgreSQL ${report.version} (${shortSize(report.bytes)})`;
  if (report.refusal !== undefined) return missing(NAME, `${name}: ${report.refusal}`);
  if (report.missing.length === 0) return ok(NAME, `${name} answers, and its tables are up to date`);
  const count = counted(report.missing.length, "change");
  return ok(NAME, `${name} answers; the next start, or \`reprise migrate\`, makes ${count} of its tables`);
}

/** Returns the size of a database with its SQLite write-ahead log. Undefined if the file does not exist. */
function sqliteBytes(file: string): number | undefined {
  const main = statSync(file, { throwIfNoEntry: false })?.size;
  if (main === undefined) return undefined;
  return main + (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0);
}
