import type { Answer, Step } from "#engines/engine";
import { maybeMessage, type PlanMessage, type RequestedJob } from "#engines/snakemake/messages";
import { drawnPlan } from "#engines/snakemake/picture";
import { OWN_JOBS } from "#engines/snakemake/planner-job";
import type { Progress } from "#engines/snakemake/progress";
import type { SnakemakeState } from "#engines/snakemake/state";

/** Limits the size of the state if a planner ignores `--jobs`. */
const WAITING_MAX = 100_000;

/** Takes the planner's messages in order. Ignores repeated messages, and messages of an earlier planner. */
export function takeMessages(
  progress: Progress,
  { lines, to }: Extract<Answer, { kind: "heard" }>,
): Step<SnakemakeState> {
  progress.set({ heard: { ...progress.state.heard, to } });
  for (const line of lines) {
    const problem = maybeProblem(progress, line);
    if (problem !== undefined) return progress.fail(problem);
  }
  if (progress.state.phase === "planning" || progress.state.phase === "lost") progress.hearNext();
  return progress.step();
}

/** Takes one message. Returns a sentence if the message makes the run fail. */
function maybeProblem(progress: Progress, line: string): string | undefined {
  const numbered = maybeMessage(line);
  const { phase, planner, heard: before } = progress.state;
  if (!numbered || phase !== "planning" || numbered.attempt !== planner) return undefined;
  const { number, message } = numbered;
  if (number <= before.number) return undefined;
  if (number !== before.number + 1)
    return `Snakemake's message ${before.number + 1} is missing: the next one that came is number ${number}.`;
  progress.set({ heard: { ...before, number } });
  if (message === null) return `Snakemake's message ${number} cannot be read: ${line.slice(0, 200)}`;
  if (message.kind === "job") return maybeProblemOfRequest(progress, message);
  takePlan(progress, message);
  return undefined;
}

function maybeProblemOfRequest(progress: Progress, request: RequestedJob): string | undefined {
  const problem = progress.maybeProblem(request);
  if (problem !== undefined) return problem;
  if (progress.state.waiting.length >= WAITING_MAX)
    return `Snakemake asked for more than ${WAITING_MAX} jobs at once.`;
  progress.set({ waiting: [...progress.state.waiting, request] });
  return undefined;
}

function takePlan(progress: Progress, { kind: _, ...plan }: PlanMessage): void {
  const before = progress.state.plan;
  progress.do(...drawnPlan(before, plan));
  const jobs = plan.rules.reduce((sum, rule) => sum + rule.jobs, 0);
  progress.do({ do: "expect", jobs: jobs + OWN_JOBS });
  const current = plan.rules.filter(({ jobs: left, done }) => left === 0 && done > 0);
  if (!before && current.length > 0) {
    const names = current.map(({ name }) => name).join(", ");
    progress.say(`Snakemake finds these rules up to date and does not run them again: ${names}.`);
  }
  const drawn = new Set(plan.rules.map(({ name }) => name));
  const gone = (before?.rules ?? []).filter(({ name }) => !drawn.has(name));
  progress.set({ plan: { ...plan, rules: [...plan.rules, ...gone] } });
}
