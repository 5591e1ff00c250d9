import type { Answer, Restart } from "#engines/engine";
import { decision, judgeReusable } from "#engines/contents-decisions";
import { taskLabel } from "#engines/task-label";
import { maybePacktivity } from "#engines/yadage/state/context";
import { logLine } from "#engines/yadage/state/log";
import { stageId } from "#engines/yadage/state/picture";
import type { Progress } from "#engines/yadage/state/progress";
import type { Node } from "#engines/yadage/state/state";
import { maybeWholeWorkspace } from "#engines/yadage/steps/contents";
import { plannedJob, type PlannedJob } from "#engines/yadage/steps/job";
import { contextualized } from "#engines/yadage/steps/parameters";
import { isMap } from "#engines/yadage/steps/resources";
import type { Decision } from "#workflow/job/decision";

/** Begins the job of a node. A restart first looks for an equal job of an earlier run. */
export function beginJob(progress: Progress, number: number): void {
  const { restart } = progress.context;
  if (!restart) return prepareJob(progress, number);
  const { job } = planOf(progress, number);
  const { contents } = job;
  const why = whyItRuns(restart, progress.draft.node(number));
  if (why || !contents) return prepareJob(progress, number, why);
  progress.ask({ kind: "find", node: number }, (id) => ({ do: "find-done", id, key: job.key, contents }));
}

/** Returns why a job of a restart runs without regard to earlier runs. Undefined if earlier runs decide. */
function whyItRuns({ fresh, fromStep }: Restart, node: Node): Decision | undefined {
  if (fresh) return decision("fresh", [{ field: "fresh", before: null, now: true }]);
  if (node.runsAgain) return decision("from-step", [{ field: "from_step", before: null, now: fromStep }]);
  const parameter = maybeWholeWorkspace(contextualized(node));
  if (parameter === undefined) return undefined;
  return decision("reads-anything", [{ field: `parameters.${parameter}`, before: null, now: "{workspace}" }]);
}

/** Takes over the found job, and returns true; otherwise begins the node's own job. */
export function isTakenOver(progress: Progress, number: number, answer: Answer): boolean {
  const { job } = planOf(progress, number);
  const judged = judgeReusable(answer.kind === "found-done" ? answer.found : null, {
    key: job.key,
    restart: progress.context.restart!,
    succeeds: (exitCode) => exitCode === 0,
  });
  if (judged.taken)
    progress.say({ do: "take-over", job, from: judged.taken.from, decision: judged.decision, stamps: null });
  else prepareJob(progress, number, judged.decision);
  return judged.taken !== undefined;
}

/** Writes the files mounted into a job, and submits the job. */
function prepareJob(progress: Progress, number: number, why?: Decision): void {
  const { files } = planOf(progress, number);
  if (files.length === 0) return runNode(progress, number, { why });
  const task = { kind: "write", node: number, ...(why && { why }) } as const;
  progress.ask(task, (id) => ({ do: "write", id, files }));
}

interface Submission {
  readonly why?: Decision | undefined;
  /** Number of the attempt, from the second on. */
  readonly attempt?: number;
  readonly delayMs?: number;
}

/** Submits the job of a node, or the next attempt. */
export function runNode(
  progress: Progress,
  number: number,
  { why, attempt, delayMs = 0 }: Submission = {},
): void {
  sayWhatIsIgnored(progress, number);
  const { job } = planOf(progress, number);
  const again = attempt === undefined ? {} : { attempt, ...(delayMs > 0 && { delayMs }) };
  progress.submit(number, { ...job, ...again }, why);
}

function sayWhatIsIgnored(progress: Progress, number: number): void {
  const { context, draft } = progress;
  const environment = maybePacktivity(context, draft, draft.node(number))!.environment!;
  if (environment.environment_type !== "docker-encapsulated") return;
  for (const resource of environment.resources.filter((one) => !isMap(one)))
    progress.say(
      logLine(
        "reana_workflow_engine_yadage.externalbackend",
        "REANA only supports dictionary entries for resources. " +
          `"${String(resource)}" value is not formatted in such a way and will be ignored.`,
      ),
    );
}

function planOf({ context, draft }: Progress, number: number): PlannedJob {
  const node = draft.node(number);
  const id = stageId(draft, node.rule);
  const step = maybePacktivity(context, draft, node)!;
  const { tasks, rule } = node;
  const label = tasks.length > 0 && { label: taskLabel(draft.rule(rule).name, tasks) };
  return plannedJob(context, step, node, { key: `${id}:${node.index}`, node: id, ...label });
}
