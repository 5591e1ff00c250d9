import {
  type Addresses,
  type ComparedRun,
  compareFiles,
  comparedPair,
  type FilesComparison,
  parametersOf,
} from "#operations/runs/comparison/compared-pair";
import { type StepTotals, stepTotals } from "#operations/runs/comparison/step-totals";
import type { Caller } from "#operations/context";
import type { RunServices } from "#operations/runs/services";
import { timesOf } from "#operations/watch/get-usage";
import { Refusal } from "#plumbing/errors";
import { type JsonDifference, jsonDifferences } from "#plumbing/diff/json-differences";
import type { Run, RunDefinition } from "#store/runs/runs";

export {
  FILE_CHANGES,
  type FileDifference,
  type WorkspaceComparison,
} from "#workspace/comparison/comparison";
export { FILES_BASES } from "#operations/runs/comparison/compared-pair";
export type { StepTotals } from "#operations/runs/comparison/step-totals";
export type { JsonDifference } from "#plumbing/diff/json-differences";

export interface RunSummary {
  readonly run: Run;
  readonly wallMs: number | undefined;
}

export interface StepPair {
  readonly step: string;
  /** Undefined if no job of the step was submitted. */
  readonly a: StepTotals | undefined;
  readonly b: StepTotals | undefined;
}

export interface RunsComparison {
  readonly a: RunSummary;
  readonly b: RunSummary;
  readonly specification: readonly JsonDifference[];
  readonly parameters: readonly JsonDifference[];
  readonly steps: readonly StepPair[];
  readonly files: FilesComparison;
}

interface ComparisonInput extends Addresses {
  readonly contextLines: number | "none";
  readonly wantsFiles: boolean;
}

/** Returns all differences between two runs. */
export async function compareRuns(
  context: Pick<RunServices, "db" | "clock" | "workspaces">,
  caller: Caller,
  input: ComparisonInput,
  signal: AbortSignal,
): Promise<RunsComparison> {
  const pair = await comparedPair(context, caller, input);
  const { a, b } = pair;
  const summary = ({ run }: ComparedRun): RunSummary => {
    return { run, wallMs: timesOf(run, context.clock.now()).wallMs };
  };
  return {
    a: summary(a),
    b: summary(b),
    specification: jsonDifferences(withoutParameters(a.definition), withoutParameters(b.definition)),
    parameters: jsonDifferences(parametersOf(a.definition), parametersOf(b.definition)),
    steps: await stepPairs(context, a.run, b.run),
    files: input.wantsFiles
      ? await filesOf(context, pair, input.contextLines, signal)
      : without("Not asked for."),
  };
}

/** Returns the definition of a run without parameters, with the options of the start. */
function withoutParameters({ specification, operationalOptions }: RunDefinition): object {
  const { parameters: _, ...inputs } = specification.inputs ?? {};
  return { ...specification, inputs, operational_options: operationalOptions };
}

/** Pairs the steps in the order of the first run, then adds the steps found only in the second. */
async function stepPairs(context: Pick<RunServices, "db">, a: Run, b: Run): Promise<StepPair[]> {
  const ofA = await stepTotals(context, a.id);
  const ofB = await stepTotals(context, b.id);
  const steps = [...new Set([...ofA.keys(), ...ofB.keys()])];
  return steps.map((step) => ({ step, a: ofA.get(step), b: ofB.get(step) }));
}

/** Compares the files. A refusal becomes a note, because the rest of the comparison is still useful. */
async function filesOf(
  context: Pick<RunServices, "db" | "workspaces">,
  pair: { readonly a: ComparedRun; readonly b: ComparedRun },
  contextLines: number | "none",
  signal: AbortSignal,
): Promise<FilesComparison> {
  try {
    return await compareFiles(context, pair, contextLines, signal);
  } catch (error) {
    if (error instanceof Refusal && error.kind !== "unavailable") return without(error.message);
    throw error;
  }
}

function without(why: string): FilesComparison {
  return { files: why, basis: "workspace", notes: [] };
}
