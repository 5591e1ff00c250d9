import type { Caller, Operations } from "#operations/context";
import { findRun } from "#operations/find-run";
import { fullNameOf } from "#operations/full-name";
import { Refusal } from "#plumbing/errors";

/** Replies to what REANA's clients ask about notebooks beside a run. This server has none. */

type Context = Pick<Operations, "db" | "clock">;

const NONE = "This server has no interactive sessions.";

/** Refuses with REANA's sentence for a type that a server does not have: here no type exists. */
export async function openSession(
  context: Context,
  caller: Caller,
  { address, type }: { readonly address: string; readonly type: string },
): Promise<never> {
  await findRun(context, caller, address, "change");
  throw new Refusal(
    "absent",
    `Interactive session type ${type.slice(0, 100)} not found, try with one of: []. ${NONE} ` +
      "Download the files, and open a notebook beside them.",
  );
}

export async function closeSession(context: Context, caller: Caller, address: string): Promise<never> {
  throw new Refusal("absent", `${await noSession(context, caller, address)} ${NONE}`);
}

export async function sessionSecret(context: Context, caller: Caller, address: string): Promise<never> {
  throw new Refusal("absent", await noSession(context, caller, address));
}

async function noSession(context: Context, caller: Caller, address: string): Promise<string> {
  const run = await findRun(context, caller, address, "change");
  return `Workflow - ${fullNameOf(run)} has no open interactive session.`;
}
