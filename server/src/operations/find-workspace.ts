import type { Caller } from "#operations/context";
import { findWorkflow } from "#operations/find-workflow";
import { Refusal } from "#plumbing/errors";
import type { Connection } from "#store/database";
import type { Workflow } from "#store/workflows";

/** The workflow at an address, whose files the caller may see or change. Those of a deleted one are gone. */
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

/** REANA's sentence. */
export function workspaceGone(): Refusal {
  return new Refusal("absent", "Workspace does not exist.");
}
