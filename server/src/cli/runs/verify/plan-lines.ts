import type { paths } from "reprise-sdk";
import { counted } from "#plumbing/text/counted";
import { duration } from "#plumbing/text/duration";
import { printable } from "#plumbing/text/printable";

export type PlanReply =
  paths["/api/workflows/{workflow_id_or_name}/verification/plan"]["get"]["responses"]["200"]["content"]["application/json"];

/** A search for a cause repeats a step at most so often. */
const REPETITIONS_MAX = 8;
const TEXT_MAX = 500;

/** Returns the cost of a verification and the obstacles, in sentences for a person. */
export function planLines(plan: PlanReply): string[] {
  const {
    workflow_name: run,
    step,
    refusal,
    wall_ms: wallMs,
    cpu_ms: cpuMs,
    jobs,
    longest_step: longest,
  } = plan;
  if (refusal !== null) return [shown(refusal), ...stepsLine(plan)];
  const name = step === null ? run : `The step ${shown(step)} of ${run}`;
  const cost = `${name} took ${duration(wallMs ?? 0)} (${counted(jobs, "job")}, ${duration(cpuMs)} of processor time). A repetition takes about as long.`;
  const search =
    longest &&
    `If a step differs, it is repeated at most ${REPETITIONS_MAX} times: ${shown(longest.name)}, the longest, for at most ${duration(longest.wall_ms * REPETITIONS_MAX)}. --budget sets a lower limit.`;
  return [cost, ...(search ? [search] : []), ...stepsLine(plan), ...plan.notes.map(shown)];
}

const shown = (text: string) => printable(text, TEXT_MAX);

function stepsLine({ step, steps }: PlanReply): string[] {
  if (step !== null || steps.length < 2) return [];
  const named = steps.map((one) => `${shown(one.name)} (${duration(one.wall_ms)})`);
  return [`A step can be verified alone, with --step: ${named.join(", ")}.`];
}
