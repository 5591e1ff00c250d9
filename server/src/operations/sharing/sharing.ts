import type { Caller, Operations } from "#operations/context";
import { findRun, type Run } from "#operations/find-run";
import { fullNameOf } from "#operations/full-name";
import { Refusal } from "#plumbing/errors";

/** Replies to what REANA's clients ask about sharing. This server shares nothing between users. */

type Context = Pick<Operations, "db">;

export async function shareRun(context: Context, caller: Caller, address: string): Promise<never> {
  const run = await findRun(context.db, caller, address, "change");
  throw new Refusal(
    "forbidden",
    `Workflow ${fullNameOf(run)} could not be shared: this server does not share workflows between users.`,
  );
}

export async function unshareRun(
  context: Context,
  caller: Caller,
  { address, email }: { readonly address: string; readonly email: string | undefined },
): Promise<never> {
  const run = await findRun(context.db, caller, address, "change");
  if (!email) {
    throw new Refusal("malformed", "No user was given. Add user_email_to_unshare_with, an e-mail address.");
  }
  throw new Refusal("conflict", `${fullNameOf(run)} is not shared with ${email}.`);
}

/** Returns the run, which is not shared with any user. */
export function shareStatus(context: Context, caller: Caller, address: string): Promise<Run> {
  return findRun(context.db, caller, address, "see");
}
