import { ASK_MAX_FILES } from "#engines/engine";
import { maybePacktivity } from "#engines/yadage/state/context";
import { beginJob } from "#engines/yadage/steps/begin-job";
import { runsJob } from "#engines/yadage/steps/job";
import { logLine, shownNode } from "#engines/yadage/state/log";
import type { Publisher } from "#engines/yadage/model";
import { setResult, succeed } from "#engines/yadage/flow/nodes";
import { inStage, type Progress } from "#engines/yadage/state/progress";
import { initPublisher, publish, type Question } from "#engines/yadage/steps/publish";
import { hasMagic } from "#plumbing/text/glob";

const READ_MAX = 1 << 20;

/** Starts ready nodes, up to the limit on outstanding jobs. Returns whether any node was started. */
export function startReady(progress: Progress): boolean {
  let hasStarted = false;
  while (!progress.isFull()) {
    const node = progress.draft.take("ready");
    if (node === undefined) break;
    startNode(progress, node);
    hasStarted = true;
  }
  return hasStarted;
}

function startNode(progress: Progress, number: number): void {
  const { context, draft } = progress;
  const node = draft.node(number);
  const step = maybePacktivity(context, draft, node);
  inStage(draft.rule(node.rule).name, () => {
    if (node.waits === 0)
      progress.say(logLine("adage.pollingexec", `submitting nodes [${shownNode(draft, number, "defined")}]`));
    draft.changeNode(number, { status: "working" });
    if (!step || !runsJob(step)) return publishNode(progress, number);
    beginJob(progress, number);
  });
}

/** Publishes the results of a node, or asks for missing facts. */
export function publishNode(progress: Progress, number: number): void {
  const { context, draft } = progress;
  const node = draft.node(number);
  if (node.result === null) {
    const published = publish(context, publisherOf(progress, number), node, node.facts);
    if (published.kind === "needs") return askFor(progress, number, published.questions);
    setResult(draft, number, published.value);
  }
  if (draft.node(number).waits === 0) succeed(progress, number);
  // `init` of a workflow may publish before its parents have run, and becomes ready a second time after them.
  else draft.changeNode(number, { status: "waiting" });
}

function publisherOf({ context, draft }: Progress, number: number): Publisher {
  const node = draft.node(number);
  const step = maybePacktivity(context, draft, node);
  if (step) return step.publisher;
  const { discover, relative } = draft.scope(draft.rule(node.rule).scope).init!;
  return initPublisher(discover, relative);
}

/** Asks one question at a time, because the next question depends on the answer. */
function askFor(progress: Progress, node: number, questions: readonly Question[]): void {
  const paths = [...new Set(questions.filter(({ ask }) => ask === "look").map(({ path }) => path))];
  if (paths.length > 0) {
    const some = paths.slice(0, ASK_MAX_FILES);
    return progress.ask({ kind: "look", node, paths: some }, (id) => ({ do: "look", id, paths: some }));
  }
  const { ask, path } = questions[0]!;
  if (ask === "read")
    return progress.ask({ kind: "read", node, path }, (id) => ({ do: "read", id, path, maxBytes: READ_MAX }));
  return askList(progress, node, path, []);
}

/** Lists the folder in which a pattern starts; `after` continues a truncated listing. */
export function askList(
  progress: Progress,
  node: number,
  pattern: string,
  found: readonly string[],
  after?: string,
): void {
  const parts = pattern.split("/");
  const first = parts.findIndex(hasMagic);
  const folder = parts.slice(0, first).join("/");
  const deep = first < parts.length - 1 || parts[first] === "**";
  progress.ask({ kind: "glob", node, pattern, found }, (id) => ({
    do: "list",
    id,
    folder,
    deep,
    ...(after !== undefined && { after }),
  }));
}
