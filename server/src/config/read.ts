import type { Environment } from "#config/kinds";
import { placeProblems } from "#config/places";
import { readSetting, rowOf, type Setting } from "#config/setting";
import { parseSettingsFile, SETTINGS_FILE } from "#config/settings-file";
import { type Config, type SettingName, SETTINGS } from "#config/settings";
import { providersOf } from "#config/sign-in-settings";
import type { SettingOptions, SettingRow, SettingsReport } from "#workflow/reports";

/** Thrown with a sentence for each unusable setting. */
export class SettingError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "SettingError";
  }
}

/**
 * Reads all settings. `options` are keyed by the name of the setting. An empty text counts as no value, so that
 * `REPRISE_PORT= npm start` works.
 */
export function readConfig(env: Environment, options: SettingOptions = {}, readFile?: ReadFile): Config {
  const { config, report } = readAll(env, options, readFile);
  if (report.problems.length > 0) throw new SettingError(report.problems);
  return config;
}

/** Describes the settings, usable or not. */
export function reportSettings(
  env: Environment,
  options: SettingOptions,
  readFile: ReadFile,
): SettingsReport {
  return readAll(env, options, readFile).report;
}

/** Returns the text of a file, or undefined if the file does not exist. */
export type ReadFile = (path: string) => string | undefined;

const TABLE = SETTINGS as Readonly<Record<string, Setting<unknown, unknown>>>;

function readAll(env: Environment, options: SettingOptions, readFile: ReadFile = () => undefined) {
  const problems: string[] = [];
  const { path, values: lines } = readLines(env, options, readFile, problems);
  const read = (name: string, one: Setting<unknown, unknown>) =>
    readSetting(one, { option: options[name], env, file: lines?.get(name) }, problems);
  const values = Object.entries(TABLE).map(([name, one]) => [name, read(name, one)]);
  const config = Object.fromEntries(values) as Config;
  if ((config.tlsCert === undefined) !== (config.tlsKey === undefined)) {
    problems.push("--tls-cert and --tls-key go together: give both, or none for plain HTTP.");
  }
  if (config.mailReport !== "never" && config.mailServer === undefined) {
    problems.push("--mail-report needs a mail server: set REPRISE_MAIL_SERVER too.");
  }
  if (config.sharedFolder !== undefined && config.database === undefined) {
    problems.push("--shared needs PostgreSQL, which several servers can use: set REPRISE_DATABASE too.");
  }
  if (config.sharedFolder !== undefined && config.peerAddress === undefined && isWildcard(config.host)) {
    problems.push(
      `--shared with --host ${config.host} needs --peer-address: the address at which the other servers reach this one.`,
    );
  }
  problems.push(...placeProblems(config));
  problems.push(...providersOf(config.signIn ?? []).problems);
  const names = [...(lines?.keys() ?? [])];
  const hasSecrets = names.some((name) => TABLE[name]?.kind.isSecret);
  return { config, report: { path, isThere: lines !== undefined, set: names.length, hasSecrets, problems } };
}

/** True for an address that means all addresses of the machine. */
function isWildcard(host: string | undefined): boolean {
  return host !== undefined && ["0.0.0.0", "::", "[::]"].includes(host);
}

/**
 * Reads the settings file named by an option or the environment. Otherwise reads the file in the data folder,
 * if it exists.
 */
function readLines(env: Environment, options: SettingOptions, readFile: ReadFile, problems: string[]) {
  const alone = (name: "configFile" | "dataFolder") =>
    readSetting(SETTINGS[name], { option: options[name], env, file: undefined }, []) as string | undefined;
  const named = alone("configFile");
  const path = named ?? `${alone("dataFolder")}/${SETTINGS_FILE}`;
  const text = readFile(path);
  if (text === undefined && named !== undefined)
    problems.push(`The settings file ${named} does not exist, or cannot be read.`);
  const file = text === undefined ? undefined : { path, text, isInDataFolder: named === undefined };
  return { path, values: file && parseSettingsFile(file, TABLE, problems) };
}

/**
 * Returns the settings with a value other than the default, as text by name. A secret appears only as "set".
 */
export function changedSettings(config: Config): Readonly<Record<string, string>> {
  const entries = Object.entries(TABLE).flatMap(([name, one]) => {
    const value: unknown = config[name as SettingName];
    if (value === undefined || JSON.stringify(value) === JSON.stringify(one.fallback({}))) return [];
    return [[name, one.kind.isSecret ? "set" : shown(one, value)]];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Returns the text of a value, as a settings file could hold it. */
function shown({ kind }: Setting<unknown, unknown>, value: unknown): string {
  return kind.show?.(value) ?? (typeof value === "string" ? value : JSON.stringify(value));
}

export function settingRows(): SettingRow[] {
  const entries = Object.entries(SETTINGS as Readonly<Record<SettingName, Setting<unknown, unknown>>>);
  return entries.map(([name, one]) => rowOf(name, one));
}
