import {
  type Addresses,
  compareFiles,
  comparedPair,
  type FilesComparison,
  parametersOf,
} from "#operations/runs/comparison/compared-pair";
import type { Caller, Operations } from "#operations/context";
import type { Workflow, WorkflowDefinition } from "#store/workflows";

export type { FileDifference, WorkspaceComparison } from "#workspace/comparison/comparison";

export interface WorkflowsDiff {
  readonly a: SpecifiedRun;
  readonly b: SpecifiedRun;
  readonly files: FilesComparison;
}

interface SpecifiedRun {
  readonly workflow: Workflow;
  /** Specification with the parameters that the run was started with. */
  readonly specification: Readonly<Record<string, unknown>>;
}

/** Compares two workflows as REANA does: their specifications, section by section, and their files. */
export async function diffWorkflows(
  context: Pick<Operations, "db" | "workspaces">,
  caller: Caller,
  { contextLines, ...addresses }: Addresses & { readonly contextLines: number | "none" },
  signal: AbortSignal,
): Promise<WorkflowsDiff> {
  const pair = await comparedPair(context, caller, addresses);
  const files = await compareFiles(context, pair, contextLines, signal);
  const specified = ({ workflow, definition }: typeof pair.a): SpecifiedRun => ({
    workflow,
    specification: started(definition),
  });
  return { a: specified(pair.a), b: specified(pair.b), files };
}

function started(definition: WorkflowDefinition): SpecifiedRun["specification"] {
  const { specification } = definition;
  const parameters = parametersOf(definition);
  if (Object.keys(parameters).length === 0) return specification;
  return { ...specification, inputs: { ...specification.inputs, parameters } };
}
