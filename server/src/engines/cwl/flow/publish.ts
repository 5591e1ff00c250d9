import type { Draft } from "#engines/cwl/flow/draft";
import { completeOutputs } from "#engines/cwl/flow/complete-outputs";
import type { CwlState } from "#engines/cwl/flow/state";
import { publishing, publishingAsks } from "#engines/cwl/flow/results";
import { placeOfOutput } from "#engines/cwl/command/output-patterns";
import type { CwlModel } from "#engines/cwl/model/model";
import { asksFor, NO_FACTS } from "#engines/cwl/values/facts";

type Values = Readonly<Record<string, unknown>>;

/** Publishes the complete outputs of a run, and finishes the run afterwards. */
export function publish(
  draft: Draft,
  { publishes, model }: { readonly publishes: boolean; readonly model: CwlModel },
): void {
  const results = draft.state.results!;
  if (results.pending > 0) return;
  if (results.isPublishing) return finish(draft, results.values);
  const settled = completeOutputs(results.values, results.facts, {
    whatOf: (name) => whatOf(model, name),
    inputs: () => [model, inputsOf(draft.state)],
  });
  if ("needs" in settled) {
    const asks = asksFor(settled.needs, (number) => draft.nextId("outputs", number));
    return draft.change({ results: { ...results, pending: draft.ask(null, asks) } });
  }
  if (!publishes) return finish(draft, settled.values);
  publishFiles(draft, settled.values);
}

/** Returns the step and port that supply an output of the main process, or the main process and the output. */
function whatOf(model: CwlModel, name: string): string {
  const main = model.processes[model.main]!;
  const sources =
    main.kind === "workflow" ? (main.outputs.find((output) => output.name === name)?.sources ?? []) : [];
  const [step, port] = sources.length === 1 ? sources[0]! : [];
  if (step === undefined || port === undefined) return `${main.name}: ${placeOfOutput(name)}`;
  return `Step "${step}": ${placeOfOutput(port)}`;
}

/** Returns the inputs of the main process, including secondary files. */
function inputsOf({ root }: CwlState): unknown {
  return root.kind === "scope" ? root.inputs : root.bound?.inputs;
}

function publishFiles(draft: Draft, values: Values): void {
  const plan = publishing(values);
  const asks = publishingAsks(plan, (what, number) => draft.nextId(what, number));
  const pending = draft.ask(null, asks);
  draft.change({ results: { values: plan.values, facts: NO_FACTS, pending, isPublishing: true } });
  if (pending === 0) finish(draft, plan.values);
}

function finish(draft: Draft, outputs: Values): void {
  draft.log("Final process status is success");
  draft.end({ do: "finish", outputs });
}
