import type { Draft } from "#engines/cwl/flow/draft";
import { publishing, publishingAsks, completeOutputs } from "#engines/cwl/flow/results";
import { asksFor, NO_FACTS } from "#engines/cwl/values/facts";

type Values = Readonly<Record<string, unknown>>;

/** Publishes the outputs of a run once they are complete, and finishes the run after that. */
export function publish(draft: Draft, { publishes }: { readonly publishes: boolean }): void {
  const results = draft.state.results!;
  if (results.pending > 0) return;
  if (results.isPublishing) return finish(draft, results.values);
  const settled = completeOutputs(results.values, results.facts);
  if ("needs" in settled) {
    const asks = asksFor(settled.needs, (number) => draft.nextId("outputs", number));
    return draft.change({ results: { ...results, pending: draft.ask(null, asks) } });
  }
  if (!publishes) return finish(draft, settled.values);
  publishFiles(draft, settled.values);
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
