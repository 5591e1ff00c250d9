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
  const { workflow_name: name, refusal, wall_ms: wallMs, cpu_ms: cpuMs, jobs, longest_step: longest } = plan;
  if (refusal !== null) return [printable(refusal, TEXT_MAX)];
  const cost = `${name} took ${duration(wallMs ?? 0)} (${counted(jobs, "job")}, ${duration(cpuMs)} of processor time). A repetition takes about as long.`;
  const search =
    longest &&
    `If a step differs, it is repeated at most ${REPETITIONS_MAX} times: ${printable(longest.name, TEXT_MAX)}, the longest, for at most ${duration(longest.wall_ms * REPETITIONS_MAX)}. --budget sets a lower limit.`;
  return [cost, ...(search ? [search] : []), ...plan.notes.map((note) => printable(note, TEXT_MAX))];
}
