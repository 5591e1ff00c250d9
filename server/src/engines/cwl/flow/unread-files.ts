import type { Scope, StepState } from "#engines/cwl/flow/state";
import type { Source, Workflow } from "#engines/cwl/model/model";
import { filesIn, type FileValue } from "#engines/cwl/values/files";

/**
 * Returns the files below `folder` that no later job of a workflow reads once the step `last` is done: outputs with no
 * remaining readers, and unread outputs of the step. Outputs of the workflow are kept, as are files named in another
 * live value.
 */
export function unreadFiles(workflow: Workflow, scope: Scope, last: number, folder: string): string[] {
  const live = liveFiles(workflow, scope).filter(({ location }) => location?.startsWith(`${folder}/`));
  // A folder may hold links to the files of earlier steps.
  if (live.some((file) => file.class === "Directory")) return [];
  const kept = new Set(live.map(({ location }) => location));
  const step = workflow.steps[last]!;
  const sources: readonly Source[] = [
    ...step.inputs.flatMap((input) => input.sources),
    ...step.outputs.map((name) => [step.name, name] as const),
  ];
  const spent = sources.filter((source) => isSpent(source, workflow, scope));
  const paths = filesIn(
    spent.map((source) => valueOf(source, workflow, scope)),
    true,
  ).flatMap((file) => (file.class === "File" && file.location !== undefined ? [file.location] : []));
  return [...new Set(paths)].filter((one) => one.startsWith(`${folder}/`) && !kept.has(one));
}

/** Returns the files and folders still needed by steps or as outputs of the workflow. */
function liveFiles(workflow: Workflow, scope: Scope): FileValue[] {
  const values = scope.steps.map((state, index) => liveValues(workflow, scope, state, index));
  return filesIn([scope.inputs, ...values], true);
}

function liveValues(workflow: Workflow, scope: Scope, state: StepState, index: number): unknown {
  if (state.kind === "running") return state.inputs;
  if (state.kind === "waiting") return null;
  const { name, outputs } = workflow.steps[index]!;
  return outputs.map((output) =>
    isSpent([name, output], workflow, scope) ? null : (state.outputs[output] ?? null),
  );
}

/** Returns whether an output of a step is not an output of the workflow, and all steps that read it are done. */
function isSpent(source: Source, { outputs, steps }: Workflow, scope: Scope): boolean {
  if (source.length === 1) return false;
  const names = (sink: { readonly sources: readonly Source[] }) =>
    sink.sources.some(([step, output]) => step === source[0] && output === source[1]);
  if (outputs.some(names)) return false;
  return steps.every(({ inputs }, index) => scope.steps[index]!.kind === "done" || !inputs.some(names));
}

function valueOf([name, output]: Source, { steps }: Workflow, scope: Scope): unknown {
  const state = scope.steps[steps.findIndex((step) => step.name === name)];
  return state?.kind === "done" && output !== undefined ? state.outputs[output] : null;
}
