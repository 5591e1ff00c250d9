import type { Caller } from "#operations/context";
import { findWorkflow } from "#operations/find-workflow";
import { Refusal } from "#plumbing/errors";
import type { Connection } from "#store/database";
import type { Workflow } from "#store/workflows";

/** Returns the workflow at an address if the caller may see or change its files. A deleted one has none. */
export async function findWorkspace(
  db: Connection,
  caller: Caller,
  address: string,
  purpose: "see" | "change",
): Promise<Workflow> {
  const workflow = await findWorkflow(db, caller, address, purpose);
  if (workflow.status === "deleted") throw workspaceGone();
  return workflow;
}

/** Refusal in REANA's wording. */
export function workspaceGone(): Refusal {
  return new Refusal("absent", "Workspace does not exist.");
}
