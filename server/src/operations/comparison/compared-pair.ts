import type { Caller, Operations } from "#operations/context";
import { findWorkflow } from "#operations/find-workflow";
import { workspaceGone } from "#operations/find-workspace";
import { Refusal } from "#plumbing/errors";
import { printable } from "#plumbing/printable";
import { oneDefinition, type Workflow, type WorkflowDefinition } from "#store/workflows";
import type { WorkspaceComparison } from "#workspace/comparison/comparison";

/** Two runs that are compared, each as `findWorkflow` finds it. They may be one and the same. */
export interface ComparedRun {
  readonly workflow: Workflow;
  readonly definition: WorkflowDefinition;
}

export interface Addresses {
  readonly a: string;
  readonly b: string;
}

export async function comparedPair(
  { db }: Pick<Operations, "db">,
  caller: Caller,
  { a, b }: Addresses,
): Promise<{ readonly a: ComparedRun; readonly b: ComparedRun }> {
  const find = async (address: string): Promise<ComparedRun> => {
    const workflow = await findOne({ db }, caller, address);
    return { workflow, definition: await oneDefinition(db, workflow.id) };
  };
  return { a: await find(a), b: await find(b) };
}

/** Which of the two is not there has to be said: the usual sentence speaks of a variable that names one run. */
async function findOne({ db }: Pick<Operations, "db">, caller: Caller, address: string): Promise<Workflow> {
  try {
    return await findWorkflow(db, caller, address, "see");
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== "absent") throw error;
    const shown = printable(address, 300);
    throw new Refusal("absent", `Workflow ${shown} does not exist.`, { cause: error });
  }
}

export async function compareFiles(
  { workspaces }: Pick<Operations, "workspaces">,
  pair: { readonly a: ComparedRun; readonly b: ComparedRun },
  contextLines: number | "none",
  signal: AbortSignal,
): Promise<WorkspaceComparison> {
  const [a, b] = [pair.a.workflow, pair.b.workflow];
  if (a.status === "deleted" || b.status === "deleted") throw workspaceGone();
  return workspaces.compare({ a: a.workspaceId, b: b.workspaceId, contextLines }, signal);
}

/** Those that a run is carried out with: what was declared, and what its start was given instead. */
export function parametersOf({
  specification,
  inputParameters,
}: WorkflowDefinition): Record<string, unknown> {
  return { ...specification.inputs?.parameters, ...inputParameters };
}
