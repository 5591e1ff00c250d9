import {
  type Addresses,
  compareFiles,
  comparedPair,
  type FilesComparison,
  parametersOf,
} from "#operations/runs/comparison/compared-pair";
import type { Caller } from "#operations/context";
import type { RunServices } from "#operations/runs/services";
import type { Run, RunDefinition } from "#store/runs/runs";

export type { FileDifference, WorkspaceComparison } from "#workspace/comparison/comparison";

export interface RunsDiff {
  readonly a: SpecifiedRun;
  readonly b: SpecifiedRun;
  readonly files: FilesComparison;
}

interface SpecifiedRun {
  readonly run: Run;
  /** Specification with the parameters that the run was started with. */
  readonly specification: Readonly<Record<string, unknown>>;
}

/** Compares two runs as REANA does: each section of the specifications, and the files. */
export async function diffRuns(
  context: Pick<RunServices, "db" | "clock" | "workspaces">,
  caller: Caller,
  { contextLines, ...addresses }: Addresses & { readonly contextLines: number | "none" },
  signal: AbortSignal,
): Promise<RunsDiff> {
  const pair = await comparedPair(context, caller, addresses);
  const files = await compareFiles(context, pair, contextLines, signal);
  const specified = ({ run, definition }: typeof pair.a): SpecifiedRun => ({
    run,
    specification: started(definition),
  });
  return { a: specified(pair.a), b: specified(pair.b), files };
}

function started(definition: RunDefinition): SpecifiedRun["specification"] {
  const { specification } = definition;
  const parameters = parametersOf(definition);
  if (Object.keys(parameters).length === 0) return specification;
  return { ...specification, inputs: { ...specification.inputs, parameters } };
}
