import type { Caller, Operations } from "#operations/context";
import { findWorkflow } from "#operations/find-workflow";
import { fullNameOf } from "#operations/full-name";
import { Refusal } from "#plumbing/errors";

/** What REANA's clients ask about notebooks beside a run, answered by a server that has none. */

type Context = Pick<Operations, "db">;

/** The words that REANA knows. */
const SESSION_TYPES = ["jupyter"];

export async function openSession(
  context: Context,
  caller: Caller,
  { address, type }: { readonly address: string; readonly type: string },
): Promise<never> {
  const workflow = await findWorkflow(context.db, caller, address, "change");
  if (!SESSION_TYPES.includes(type)) {
    const known = SESSION_TYPES.map((word) => `'${word}'`).join(", ");
    throw new Refusal(
      "absent",
      `Interactive session type ${type.slice(0, 100)} not found, try with one of: [${known}]`,
    );
  }
  throw notThere(`An interactive session could not be opened for ${fullNameOf(workflow)}`);
}

export async function closeSession(context: Context, caller: Caller, address: string): Promise<never> {
  const workflow = await findWorkflow(context.db, caller, address, "change");
  throw notThere(`No interactive session could be closed for ${fullNameOf(workflow)}`);
}

export async function sessionSecret(context: Context, caller: Caller, address: string): Promise<never> {
  const workflow = await findWorkflow(context.db, caller, address, "change");
  throw new Refusal("absent", `Workflow - ${fullNameOf(workflow)} has no open interactive session.`);
}

function notThere(what: string): Refusal {
  return new Refusal(
    "not-implemented",
    `${what}: this server has no interactive sessions. Download the files, and open a notebook beside them.`,
  );
}
