import { describeFailure } from "#engines/describe-failure";
import type { EngineEvent, JobEnded, Listing } from "#engines/engine";
import { delayBefore, mayRetry } from "#engines/serial/retries";
import { logLine } from "#engines/yadage/log";
import { failNode } from "#engines/yadage/nodes";
import { inStage, type Progress } from "#engines/yadage/progress";
import { type Facts, NO_FACTS, type Task } from "#engines/yadage/state";
import { askList, publishNode, runNode } from "#engines/yadage/work";
import { parseGlob } from "#plumbing/text/glob";
import { succeeded } from "#workflow/job";

/** Takes in the answer to a question, or the end of a job. */
export function apply(progress: Progress, task: Task, event: EngineEvent): void {
  if (task.kind === "pause") return progress.draft.set({ isPaused: false });
  if (task.kind === "end") return;
  const { name } = progress.draft.rule(progress.draft.node(task.node).rule);
  inStage(name, () => applyTo(progress, task, event));
}

type NodeTask = Extract<Task, { node: number }>;

function applyTo(progress: Progress, task: NodeTask, event: EngineEvent): void {
  if (event.kind === "job-ended") {
    if (task.kind === "job") jobEnded(progress, task, event);
    return;
  }
  switch (task.kind) {
    case "job":
      return;
    case "write":
      if (event.kind === "written") return runNode(progress, task.node);
      break;
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
      // A folder that does not exist has nothing in it.
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
  const { name } = progress.draft.node(number);
  const sentence = `Step "${name}" ran, but what it publishes cannot be had: ${reason.replace(/\.$/, "")}.`;
  failNode(progress, number, sentence, null);
}

function jobEnded(progress: Progress, task: Extract<Task, { kind: "job" }>, { end, key }: JobEnded): void {
  const { context, draft } = progress;
  if (succeeded(end)) return publishNode(progress, task.node);
  const sentence = describeFailure(`Step "${draft.node(task.node).name}"`, end);
  const { retries } = context;
  if (!retries || !mayRetry(retries, end, task.attempt)) return failNode(progress, task.node, sentence, key);
  const attempt = task.attempt + 1;
  const delayMs = delayBefore(retries, attempt);
  const line = `${sentence} It is retried (attempt ${attempt} of ${retries.most + 1}), after ${delayMs / 1000} s.`;
  progress.say(logLine("yadage", line));
  runNode(progress, task.node, { attempt, delayMs });
}
