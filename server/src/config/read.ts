import type { Environment } from "#config/kinds";
import { readSetting, rowOf, type Setting } from "#config/setting";
import { type Config, type SettingName, SETTINGS } from "#config/settings";
import type { SettingOptions, SettingRow } from "#workflow/reports";

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
export function readConfig(env: Environment, options: SettingOptions = {}): Config {
  const problems: string[] = [];
  const entries = Object.entries(SETTINGS as Readonly<Record<string, Setting<unknown, unknown>>>);
  const values = entries.map(([name, one]) => [name, readSetting(one, env, options[name], problems)]);
  const config = Object.fromEntries(values) as Config;
  if ((config.tlsCert === undefined) !== (config.tlsKey === undefined)) {
    problems.push("--tls-cert and --tls-key go together: give both, or none for plain HTTP.");
  }
  if (problems.length > 0) throw new SettingError(problems);
  return config;
}

export function settingRows(): SettingRow[] {
  const entries = Object.entries(SETTINGS as Readonly<Record<SettingName, Setting<unknown, unknown>>>);
  return entries.map(([name, one]) => rowOf(name, one));
}
