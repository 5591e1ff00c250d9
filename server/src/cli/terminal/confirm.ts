import type { Call } from "#cli/call";
import type { CliContext } from "#cli/context";
import { CommandError } from "#cli/failure";

/**
 * Asks before a change that cannot be undone if there is a terminal to ask at, unless `--yes` was given. Throws `refusal`
 * if the reply is not yes.
 */
export async function confirm(
  { ask }: Pick<CliContext, "ask">,
  call: Pick<Call, "flags">,
  question: string,
  refusal = "Nothing was deleted.",
): Promise<void> {
  if (call.flags("yes") || !ask) return;
  if (!/^y(es)?$/i.test((await ask(question)).trim())) throw new CommandError(refusal);
}
