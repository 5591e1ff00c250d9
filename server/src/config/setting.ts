import type { Environment, Kind } from "#config/kinds";
import { NoHomeError } from "#plumbing/own-user";
import type { OptionValue, SettingRow } from "#workflow/reports";

/**
 * A setting: the sources of its value and its description. `settings.ts` has the table of all settings.
 */
export interface Setting<Value, Fallback> {
  readonly kind: Kind<Value>;
  readonly option: string | undefined;
  readonly variable: string;
  readonly sentence: string;
  /** Says more about the default than the value alone. */
  readonly fallbackText: string | undefined;
  readonly fallback: (env: Environment) => Fallback;
}

export type ReadOf<One> = One extends Setting<infer Value, unknown> ? Value : never;

/** Makes a setting. Its variable is the option's name, in capitals after `REPRISE_`. */
export function setting<Value, Fallback>(
  kind: Kind<Value>,
  row: {
    readonly option?: `--${string}`;
    readonly variable?: `REPRISE_${string}`;
    readonly fallback: (env: Environment) => Fallback;
    readonly fallbackText?: string;
    readonly sentence: string;
  },
): Setting<Value, Fallback> {
  const variable = row.variable ?? `REPRISE_${row.option?.slice(2).toUpperCase().replaceAll("-", "_")}`;
  return { ...row, kind, variable, option: row.option, fallbackText: row.fallbackText };
}

/** A line of a settings file: the value, and where it is, for messages. */
export interface FileValue {
  readonly text: string;
  readonly where: string;
}

/** Sources of a setting's value, in order of precedence. */
export interface Sources {
  readonly option: OptionValue;
  readonly env: Environment;
  readonly file: FileValue | undefined;
}

/** Returns the value of a setting. If the value is unusable, adds a sentence to `problems` and returns undefined. */
export function readSetting(one: Setting<unknown, unknown>, sources: Sources, problems: string[]): unknown {
  const given = maybeGiven(one, sources);
  try {
    if (!given) return one.fallback(sources.env);
    const value = one.kind.parse(given.text.trim(), sources.env);
    if (value !== undefined) return value;
  } catch (error) {
    if (!(error instanceof NoHomeError)) throw error;
    problems.push(error.message);
    return undefined;
  }
  const repeated = one.kind.isSecret ? "not usable" : JSON.stringify(given.text);
  problems.push(`${given.where} is ${repeated}: it must be ${one.kind.words}.`);
  return undefined;
}

/** Returns the text that applies, and the name of its source. An empty text counts as absent. */
function maybeGiven(
  { option: name, variable }: Setting<unknown, unknown>,
  { option, env, file }: Sources,
): FileValue | undefined {
  if (option !== undefined && option !== "") return { text: String(option), where: name ?? variable };
  const inEnvironment = env[variable];
  if (inEnvironment !== undefined && inEnvironment !== "") return { text: inEnvironment, where: variable };
  return file?.text ? file : undefined;
}

export function rowOf(name: string, one: Setting<unknown, unknown>): SettingRow {
  return {
    name,
    option: one.option,
    variable: one.variable,
    usage: one.option && usageOf(one.option, one),
    kind: one.kind.words,
    isRepeatable: one.kind.isRepeatable ?? false,
    fallback: one.fallbackText ?? shown(one),
    sentence: one.sentence,
  };
}

function shown({ kind, fallback }: Setting<unknown, unknown>): string {
  const value = fallback({});
  if (isNothing(value)) return "none";
  return kind.show?.(value) ?? `\`${String(value)}\``;
}

function isNothing(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}

function usageOf(option: string, { kind, fallback }: Setting<unknown, unknown>): string {
  if (!kind.isFlag) return `${option} <${kind.placeholder}>`;
  return fallback({}) === true ? option.replace("--", "--no-") : option;
}
