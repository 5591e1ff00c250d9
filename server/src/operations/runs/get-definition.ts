import type { Caller, Operations } from "#operations/context";
import { findWorkflow } from "#operations/find-workflow";
import { oneDefinition, type Workflow, type WorkflowDefinition } from "#store/workflows";

/** Returns what a workflow was created with, and what its start was given. */
export async function getDefinition(
  context: Pick<Operations, "db">,
  caller: Caller,
  address: string,
): Promise<{ readonly workflow: Workflow; readonly definition: WorkflowDefinition }> {
  const workflow = await findWorkflow(context.db, caller, address, "see");
  return { workflow, definition: await oneDefinition(context.db, workflow.id) };
}
