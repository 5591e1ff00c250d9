import type { Command } from "commander";
import type { CliContext, SettingOptions } from "#cli/context";

/** The arguments and options of a command. */
export interface Call {
  readonly args: readonly string[];
  readonly settings: SettingOptions;
  readonly flags: (name: string) => boolean;
  /** All options that were given, by their attribute names. */
  readonly options: () => Readonly<Record<string, unknown>>;
}

/** Returns the exit code; undefined means 0. */
export type RemoteCommand = (cli: CliContext, call: Call) => Promise<number | void>;

/** Turns a command's work into a Commander action. `program.ts` provides it. */
export type Act = (work: (call: Call) => Promise<number | void>) => (this: Command) => Promise<void>;

export function optionOf(call: Pick<Call, "options">, name: string): string | undefined {
  const value = call.options()[name];
  return typeof value === "string" ? value : undefined;
}

/** Collects the values of a repeatable option. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** Returns the values of a repeatable option. */
export function optionsOf(call: Call, name: string): readonly string[] {
  return (call.options()[name] as readonly string[] | undefined) ?? [];
}
