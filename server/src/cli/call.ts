import type { Command } from "commander";
import type { CliContext, SettingOptions } from "#cli/context";

/** The arguments and options of a command. */
export interface Call {
  /** All commands of the program. */
  readonly program: Command;
  readonly args: readonly string[];
  readonly settings: SettingOptions;
  readonly flags: (name: string) => boolean;
  /** Returns all given options by their attribute names. */
  readonly options: () => Readonly<Record<string, unknown>>;
}

/** The code of a command. Returns the exit code; undefined means 0. */
export type Action = (cli: CliContext, call: Call) => Promise<number | void>;

export function optionOf(call: Pick<Call, "options">, name: string): string | undefined {
  const value = call.options()[name];
  return typeof value === "string" ? value : undefined;
}

/** Returns the values of a repeatable option. */
export function optionsOf(call: Call, name: string): readonly string[] {
  return (call.options()[name] as readonly string[] | undefined) ?? [];
}
