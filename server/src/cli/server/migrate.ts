import type { CliContext, SettingOptions } from "#cli/context";

/**
 * Brings the database up to date and prints what changed. It is safe to repeat and to run several times in parallel.
 */
export async function migrate(cli: CliContext, settings: SettingOptions, asJson: boolean): Promise<void> {
  const { database, changes } = await cli.migrate(settings);
  if (asJson) return cli.print(JSON.stringify({ database, changes }));
  cli.print(
    changes.length === 0
      ? `The database (${database}) is up to date: there was nothing to do.`
      : `The database (${database}) has been brought up to date: ${changes.join(", ")}.`,
  );
}
