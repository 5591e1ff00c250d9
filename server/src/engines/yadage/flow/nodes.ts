import { runsJob } from "#engines/yadage/steps/job";
import { logLine, shownNode } from "#engines/yadage/state/log";
import { maybePacktivity } from "#engines/yadage/state/context";
import { countCompleted } from "#engines/yadage/state/completion";
import type { Progress } from "#engines/yadage/state/progress";
import { maybePrepublished } from "#engines/yadage/steps/publish";
import type { Draft, Node } from "#engines/yadage/state/state";
import { isWithinStage, pathOfRule } from "#engines/yadage/stages/from-stage";

export interface NewNode extends Pick<
  Node,
  "rule" | "name" | "tasks" | "parents" | "parameters" | "case" | "folder"
> {
  /** Folders that the node may read, in addition to the folders of its parents. */
  readonly folders?: readonly string[];
}

/** Adds a node to the run. The result is known at once if it depends only on the parameters. */
export function addNode(progress: Progress, made: NewNode): void {
  const { context, draft } = progress;
  const { folders = foldersOf(draft, made.parents), ...rest } = made;
  const index = draft.rule(made.rule).items.length;
  const waits = made.parents.filter((parent) => draft.node(parent).status !== "success");
  const isInit = draft.rule(made.rule).stage === null;
  const number = draft.addNode({
    ...rest,
    index,
    runsAgain: runsAgain(progress, made),
    children: [],
    waits: waits.length,
    status: "waiting",
    readonly: folders,
    result: null,
    waiters: [],
    attempt: null,
    facts: null,
  });
  for (const parent of waits)
    draft.changeNode(parent, { children: [...draft.node(parent).children, number] });
  draft.addItem(made.rule, number);
  progress.say(logLine("yadage.wflowview", `added ${shownNode(draft, number, "defined")}`));
  const step = maybePacktivity(context, draft, draft.node(number));
  if (step && runsJob(step)) draft.set({ jobCount: draft.state.jobCount + 1 });
  const early = step && maybePrepublished(context, step.publisher, draft.node(number));
  if (early) setResult(draft, number, early.value);
  // `init` publishes at once, even if its parents have not finished.
  if (waits.length === 0 || isInit) becomeReady(draft, number);
}

/** Returns whether a restart starts from the stage of a node, or from the stage of an ancestor. */
function runsAgain({ context, draft }: Progress, { rule, parents }: NewNode): boolean {
  const from = context.restart?.fromStep ?? null;
  if (from === null) return false;
  return isWithinStage(pathOfRule(draft, rule), from) || parents.some((one) => draft.node(one).runsAgain);
}

/** Returns the output folder of each node, or its read-only inputs if it has no output folder. */
export function foldersOf(draft: Draft, nodes: readonly number[]): string[] {
  return nodes.flatMap((number) => {
    const { folder, readonly } = draft.node(number);
    return folder === null ? readonly : [folder];
  });
}

function becomeReady(draft: Draft, number: number): void {
  draft.changeNode(number, { status: "ready" });
  draft.getReady(number);
}

export function setResult(draft: Draft, number: number, value: unknown): void {
  const { waiters } = draft.node(number);
  draft.changeNode(number, { result: { value }, facts: null, waiters: [] });
  for (const rule of waiters) draft.tryLater(rule);
  wakeRestless(draft);
}

/** Rechecks the stages that wait for an unspecified change. */
export function wakeRestless(draft: Draft): void {
  const { restless } = draft.state;
  if (restless.length === 0) return;
  draft.set({ restless: [] });
  for (const rule of restless) draft.tryLater(rule);
}

/** Completes a node that has run and published. Children of the node may continue. */
export function succeed(progress: Progress, number: number): void {
  const { draft } = progress;
  const { children } = draft.node(number);
  draft.changeNode(number, { status: "success", children: [], facts: null });
  progress.say(logLine("adage.node", `node ready ${shownNode(draft, number, "success")}`));
  for (const child of children) {
    const { waits, status } = draft.node(child);
    draft.changeNode(child, { waits: waits - 1 });
    if (waits === 1 && status === "waiting") becomeReady(draft, child);
  }
  countCompleted(progress, draft.node(number).rule, false);
}

/** Ends a failed node. Descendants never run; all other nodes continue. */
export function failNode(progress: Progress, number: number, sentence: string, job: string | null): void {
  const { draft } = progress;
  draft.changeNode(number, { status: "failed", children: [], facts: null });
  const { failure } = draft.state;
  draft.set({ failure: failure ? { ...failure, count: failure.count + 1 } : { sentence, job, count: 1 } });
  progress.say(logLine("adage.node", `node ready ${shownNode(draft, number, "failed")}`));
  progress.say(logLine("yadage", sentence, "ERROR"));
  countCompleted(progress, draft.node(number).rule, true);
}
