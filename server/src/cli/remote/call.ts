import type { Command } from "commander";
import type { CliHost, SettingOptions } from "#cli/host";

/** What was typed after a command's name. */
export interface Call {
  readonly args: readonly string[];
  readonly settings: SettingOptions;
  readonly flags: (name: string) => boolean;
  /** All that was given, by the names that the command's options have. */
  readonly options: () => Readonly<Record<string, unknown>>;
}

/** Answers the exit code, or nothing for 0. */
export type RemoteCommand = (host: CliHost, call: Call) => Promise<number | void>;

/** What `program.ts` makes of an action. */
export type Act = (work: (call: Call) => Promise<number | void>) => (this: Command) => Promise<void>;

export function optionOf(call: Pick<Call, "options">, name: string): string | undefined {
  const value = call.options()[name];
  return typeof value === "string" ? value : undefined;
}

/** Of an option that may be given several times. */
export function optionsOf(call: Call, name: string): readonly string[] {
  return (call.options()[name] as readonly string[] | undefined) ?? [];
}
