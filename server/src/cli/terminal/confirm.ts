import type { Call } from "#cli/call";
import type { CliContext } from "#cli/context";
import { CommandError } from "#cli/failure";

/** Asks before a deletion if there is a terminal to ask at, unless `--yes` was given. Throws if the reply is not yes. */
export async function confirm({ ask }: CliContext, call: Call, question: string): Promise<void> {
  if (call.flags("yes") || !ask) return;
  if (!/^y(es)?$/i.test((await ask(question)).trim())) throw new CommandError("Nothing was deleted.");
}
