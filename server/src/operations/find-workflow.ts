import { absentWorkflow } from "#operations/absent-workflow";
import type { Caller } from "#operations/context";
import { mayChange, maySee } from "#operations/permission";
import { Refusal } from "#plumbing/errors";
import type { Connection } from "#store/database";
import { maybeWorkflow, maybeWorkflowByName, type Workflow } from "#store/workflows";
import { parseAddress } from "#workflow/run-name";

export type { Workflow };

/**
 * Returns the workflow at an address, a UUID or a name, if the caller may see or change it. A name is looked up among
 * the caller's own runs. Deleted runs are found too, so that their end and logs can still be read.
 */
export async function findWorkflow(
  db: Connection,
  caller: Caller,
  address: string,
  purpose: "see" | "change",
): Promise<Workflow> {
  const workflow = await lookUp(db, caller, address);
  if (!workflow) throw await absentWorkflow(db, caller, address);
  const isAllowed = purpose === "see" ? maySee(caller, workflow) : mayChange(caller, workflow);
  if (isAllowed) return workflow;
  throw new Refusal("forbidden", `User ${caller.id} is not allowed to access workflow ${workflow.id}`);
}

function lookUp(db: Connection, caller: Caller, text: string): Promise<Workflow | undefined> {
  const address = parseAddress(text);
  switch (address.kind) {
    case "id":
      return maybeWorkflow(db, address.id);
    case "name":
      return maybeWorkflowByName(db, caller.id, address.name, address.run);
    case "invalid":
      throw new Refusal("absent", address.message);
  }
}
