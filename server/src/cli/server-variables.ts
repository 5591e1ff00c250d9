import type { CliHost, SettingOptions } from "#cli/host";

/** Which server the options name, if they name one. */
export interface ServerOptions {
  readonly server?: string;
  readonly tokenFile?: string;
}

/** Where the environment names a server; the first one wins. */
const SERVER_VARIABLES = ["REPRISE_SERVER", "REANA_SERVER_URL"] as const;

/** The variable that names a server, unless `--data` asks for the server on that folder: an option beats the environment. */
export function serverVariable(host: CliHost, settings: SettingOptions): string | undefined {
  if (settings["dataFolder"] !== undefined) return undefined;
  return SERVER_VARIABLES.find((name) => Boolean(host.environment[name]));
}

/** For a command that works on a data folder alone: nobody is to believe that it reached the server. */
export function tellServerUnused(host: CliHost, settings: SettingOptions, command: string): void {
  const variable = serverVariable(host, settings);
  if (variable === undefined) return;
  const folder = host.dataFolder(settings);
  host.complain(`${variable} is not used by ${command}, which works on the data folder ${folder}.`);
}
