import type { Specification } from "#workflow/specification/specification";
import { surveySpecification } from "../../support/engines/surveys.ts";
import type { Dice } from "../dice.ts";

/** The language of surveys in simulated worlds. */
export const SURVEYS = "snakemake";

export type Verb = "start" | "stop" | "delete" | "restart" | "rerun";

/** The timed requests of a user for a run. */
export interface Plan {
  readonly name: string;
  readonly user: number;
  readonly specification: Specification;
  readonly files: Readonly<Record<string, string>>;
  readonly startAtMs: number;
  readonly acts: readonly { readonly verb: Verb; readonly atMs: number }[];
}

interface Extent {
  readonly users: number;
  readonly runs: number;
  readonly lengthMs: number;
  readonly stubbornness: number;
  readonly restarts: number;
  readonly independence: number;
  readonly reruns: number;
}

/** Plans the runs of a world: many starts together or spread, stops and deletions at every moment of a run's life. */
export function workloadOf(dice: Dice, extent: Extent): Plan[] {
  const { users, runs, lengthMs } = extent;
  const isBurst = dice.chance(0.4);
  const stops = dice.pick([0, 0.2, 0.6]);
  const deletions = dice.pick([0, 0.2, 0.6]);
  const surveys = dice.pick([0, 0.5, 1]);
  const jobsMax = dice.pick([1, 3, 8]);
  const plans = Array.from({ length: runs }, (_, index) => {
    const startAtMs = dice.between(0, isBurst ? 1000 : lengthMs * 0.7);
    const soon = () => startAtMs + dice.magnitude(1, lengthMs - startAtMs);
    const acts: Plan["acts"][number][] = [];
    if (dice.chance(0.2)) acts.push({ verb: "start", atMs: soon() });
    while (dice.chance(stops)) acts.push({ verb: "stop", atMs: soon() });
    while (dice.chance(deletions)) acts.push({ verb: "delete", atMs: soon() });
    const what = dice.chance(surveys) ? surveyRun(dice, jobsMax) : serialRun(dice, jobsMax);
    return { name: `w${index}`, user: dice.between(0, users - 1), ...what, startAtMs, acts };
  });
  return plans
    .map((plan) => runOnceMore(dice, extent, stubborn(dice, extent, plan)))
    .map((plan) => independent(dice, extent, plan));
}

const INDEPENDENT = "independent ";

/** Returns whether a step with the name is independent of its neighbours. */
export function isIndependent(name: string): boolean {
  return name.startsWith(INDEPENDENT);
}

/** Makes most steps of some runs independent of their neighbours. */
function independent(dice: Dice, { independence }: Extent, plan: Plan): Plan {
  const { type, specification } = plan.specification.workflow;
  if (type !== "serial" || independence === 0 || !dice.chance(independence)) return plan;
  const { steps } = specification as { steps: readonly { readonly name: string }[] };
  const made = steps.map((step) =>
    dice.chance(0.8) ? { ...step, name: `${INDEPENDENT}${step.name}`, on_failure: "finish" } : step,
  );
  return { ...plan, specification: { workflow: { type, specification: { steps: made } } } };
}

function runOnceMore(dice: Dice, { restarts, reruns, lengthMs }: Extent, plan: Plan): Plan {
  const acts = [...plan.acts];
  const later = () => plan.startAtMs + dice.magnitude(1000, 2 * lengthMs);
  while (dice.chance(restarts)) acts.push({ verb: "restart", atMs: later() });
  while (reruns > 0 && dice.chance(reruns)) acts.push({ verb: "rerun", atMs: later() });
  return { ...plan, acts };
}

/** Gives some steps retries. */
function stubborn(dice: Dice, { stubbornness }: Extent, plan: Plan): Plan {
  const { type, specification } = plan.specification.workflow;
  if (type !== "serial" || stubbornness === 0) return plan;
  const { steps } = specification as { steps: readonly object[] };
  const tried = steps.map((step) => (dice.chance(stubbornness) ? { ...step, ...retriesFrom(dice) } : step));
  return { ...plan, specification: { workflow: { type, specification: { steps: tried } } } };
}

function retriesFrom(dice: Dice) {
  const reasons = dice.pick([["exited", "lost"], ["exited", "lost", "not-started"], ["lost"]]);
  return { retries: dice.between(1, 3), retry_delay: dice.pick([0, 0.2, 30]), retry_on: reasons };
}

function serialRun(dice: Dice, jobsMax: number) {
  const left = { jobs: dice.between(1, jobsMax) };
  const steps: { name: string; commands: string[] }[] = [];
  while (left.jobs > 0) {
    const commands = Array.from(
      { length: dice.between(1, Math.min(2, left.jobs)) },
      (_, at) => `command ${at}`,
    );
    left.jobs -= commands.length;
    steps.push({ name: `s${steps.length}`, commands });
  }
  const specification: Specification = { workflow: { type: "serial", specification: { steps } } };
  return { specification, files: {} };
}

function surveyRun(dice: Dice, jobsMax: number) {
  const lines = Array.from({ length: dice.between(0, Math.max(1, jobsMax - 2)) }, (_, at) => `item ${at}\n`);
  const when = dice.pick(["true", "false", '["more",["get","count"],1]']);
  const hasList = dice.chance(0.95);
  // Without the dice: known seeds keep their runs.
  const { workflow } = surveySpecification({
    when,
    ...(lines.length % 2 === 1 && { stages: true as const }),
  });
  return {
    specification: { workflow: { ...workflow, type: SURVEYS } as const },
    files: hasList ? { "list.txt": lines.join("") } : {},
  };
}
