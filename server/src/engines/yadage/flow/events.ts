import { describeFailure } from "#engines/describe-failure";
import type { Answer, JobEndEvent, Listing } from "#engines/engine";
import { taskInSentence } from "#engines/task-label";
import { mayRetry, nextAttempt } from "#engines/steps/retries";
import { logLine } from "#engines/yadage/state/log";
import { failNode } from "#engines/yadage/flow/nodes";
import { inStage, type Progress } from "#engines/yadage/state/progress";
import { type Facts, NO_FACTS, type Task } from "#engines/yadage/state/state";
import { isTakenOver, runNode } from "#engines/yadage/steps/begin-job";
import { askList, publishNode } from "#engines/yadage/flow/work";
import { parseGlob } from "#plumbing/text/glob";
import { succeeded } from "#workflow/job/job";

/** Takes in the answer to a question. */
export function takeAnswer(progress: Progress, task: Task, event: Answer): void {
  if (task.kind === "pause") return progress.draft.set({ isPaused: false });
  // A failed write of the state does not affect the results of the run.
  if (task.kind === "snapshot") return;
  const { name } = progress.draft.rule(progress.draft.node(task.node).rule);
  inStage(name, () => answeredFor(progress, task, event));
}

type NodeTask = Extract<Task, { node: number }>;

function answeredFor(progress: Progress, task: NodeTask, event: Answer): void {
  switch (task.kind) {
    case "write":
      if (event.kind === "written") return runNode(progress, task.node, { why: task.why });
      break;
    case "find":
      if (isTakenOver(progress, task.node, event)) publishNode(progress, task.node);
      return;
    case "look":
      if (event.kind === "looked") {
        const found = Object.fromEntries(event.files.map(({ path, kind }) => [path, kind !== "absent"]));
        return learn(progress, task.node, { found });
      }
      break;
    case "read":
      if (event.kind === "read") return learn(progress, task.node, { texts: { [task.path]: event.text } });
      break;
    case "glob":
      if (event.kind === "listed") return listed(progress, task, event.listing);
      // A missing folder counts as empty.
      return learn(progress, task.node, { globs: { [task.pattern]: [] } });
  }
  const reason = event.kind === "refused" ? event.reason : "the answer is of another kind";
  failPublishing(progress, task.node, reason);
}

function listed(
  progress: Progress,
  task: Extract<Task, { kind: "glob" }>,
  { entries, isCut }: Listing,
): void {
  const glob = parseGlob(task.pattern, { leavesHidden: true });
  const found = [...task.found, ...entries.map(({ path }) => path).filter((path) => glob.matches(path))];
  if (isCut) return askList(progress, task.node, task.pattern, found, entries.at(-1)!.path);
  learn(progress, task.node, { globs: { [task.pattern]: found } });
}

function learn(progress: Progress, number: number, facts: Partial<Facts>): void {
  const { draft } = progress;
  const known = draft.node(number).facts ?? NO_FACTS;
  draft.changeNode(number, {
    facts: {
      found: { ...known.found, ...facts.found },
      globs: { ...known.globs, ...facts.globs },
      texts: { ...known.texts, ...facts.texts },
    },
  });
  publishNode(progress, number);
}

function failPublishing(progress: Progress, number: number, reason: string): void {
  const step = stepOf(progress, number);
  const sentence = `${step} ran, but what it publishes cannot be had: ${reason.replace(/\.$/, "")}.`;
  failNode(progress, number, sentence, null);
}

/** Returns the step of a node for a failure: `Step "fit", task 7 (s07.txt)`. */
function stepOf({ draft }: Progress, number: number): string {
  const { rule, tasks } = draft.node(number);
  return taskInSentence(draft.rule(rule).name, tasks);
}

/** The job of a node has ended. */
export function jobEnded(progress: Progress, number: number, { end, key }: JobEndEvent): void {
  const { context, draft } = progress;
  const { rule, attempt } = draft.node(number);
  progress.closeJob(number);
  if (succeeded(end)) return inStage(draft.rule(rule).name, () => publishNode(progress, number));
  const sentence = describeFailure(stepOf(progress, number), end);
  const { retries } = context;
  if (!retries || !mayRetry(retries, end, attempt!)) return failNode(progress, number, sentence, key);
  const { line, ...next } = nextAttempt(retries, end, attempt!, sentence);
  progress.say(logLine("yadage", line));
  runNode(progress, number, next);
}
