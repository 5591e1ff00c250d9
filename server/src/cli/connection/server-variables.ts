import type { CliContext, SettingOptions } from "#cli/context";

/** The server that the options name, if any. */
export interface ServerOptions {
  readonly server?: string;
  readonly tokenFile?: string;
}

/** Environment variables that name a server. The first set variable wins. */
const SERVER_VARIABLES = ["REPRISE_SERVER", "REANA_SERVER_URL"] as const;

/**
 * Returns the variable that names a server. `--data` overrides the variable, because an option beats the
 * environment.
 */
export function serverVariable(cli: CliContext, settings: SettingOptions): string | undefined {
  if (settings["dataFolder"] !== undefined) return undefined;
  return SERVER_VARIABLES.find((name) => Boolean(cli.environment[name]));
}

/** Warns that a command works only on the data folder and ignores the server named in the environment. */
export function warnServerUnused(cli: CliContext, settings: SettingOptions, command: string): void {
  const variable = serverVariable(cli, settings);
  if (variable === undefined) return;
  const folder = cli.dataFolder(settings);
  cli.printError(`${variable} is not used by ${command}, which works on the data folder ${folder}.`);
}
