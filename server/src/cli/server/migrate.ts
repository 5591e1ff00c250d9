import type { CliHost, SettingOptions } from "#cli/host";

/**
 * Brings the database up to date and prints what changed. It is safe to repeat and to run several times in parallel.
 */
export async function migrate(host: CliHost, settings: SettingOptions, asJson: boolean): Promise<void> {
  const { database, changes } = await host.migrate(settings);
  if (asJson) return host.print(JSON.stringify({ database, changes }));
  host.print(
    changes.length === 0
      ? `The database (${database}) is up to date: there was nothing to do.`
      : `The database (${database}) has been brought up to date: ${changes.join(", ")}.`,
  );
}
