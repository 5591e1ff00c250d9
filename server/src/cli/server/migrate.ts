import type { Call } from "#cli/call";
import { warnServerUnused } from "#cli/connection/server-variables";
import type { CliContext } from "#cli/context";

/**
 * Brings the database up to date and prints what changed. It is safe to repeat and to run several times in parallel.
 */
export async function migrate(cli: CliContext, { settings, flags }: Call): Promise<void> {
  warnServerUnused(cli, settings, "migrate");
  const { database, changes } = await cli.migrate(settings);
  if (flags("json")) return cli.print(JSON.stringify({ database, changes }));
  cli.print(
    changes.length === 0
      ? `The database (${database}) is up to date: there was nothing to do.`
      : `The database (${database}) has been brought up to date: ${changes.join(", ")}.`,
  );
}
