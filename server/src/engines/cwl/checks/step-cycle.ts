import type { Workflow, WorkflowStep } from "#engines/cwl/model/model";

/** Finds a cycle of steps. The first step is repeated at the end. Undefined if there is no cycle. */
export function maybeStepCycle({ steps }: Workflow): readonly WorkflowStep[] | undefined {
  const stuck = new Map(steps.map((step) => [step.name, step]));
  const waits = new Map(steps.map((step) => [step.name, stepsBefore(step)]));
  const after = Map.groupBy(
    steps.flatMap(({ name }) => waits.get(name)!.map((before) => ({ name, before }))),
    ({ before }) => before,
  );
  const counts = new Map(steps.map(({ name }) => [name, waits.get(name)!.length]));
  const free = steps.map(({ name }) => name).filter((name) => counts.get(name) === 0);
  for (let done = free.pop(); done !== undefined; done = free.pop()) {
    stuck.delete(done);
    for (const { name } of after.get(done) ?? []) {
      const left = counts.get(name)! - 1;
      counts.set(name, left);
      if (left === 0) free.push(name);
    }
  }
  return stuck.size === 0 ? undefined : cycleIn(stuck);
}

/** Follows the links backwards from a step. Every step in `stuck` waits for another step in `stuck`. */
function cycleIn(stuck: ReadonlyMap<string, WorkflowStep>): readonly WorkflowStep[] {
  const trail = new Set<WorkflowStep>();
  let step = stuck.values().next().value!;
  while (!trail.has(step)) {
    trail.add(step);
    step = stuck.get(stepsBefore(step).find((name) => stuck.has(name))!)!;
  }
  const all = [...trail];
  return [...all.slice(all.indexOf(step)), step].toReversed();
}

function stepsBefore({ inputs }: WorkflowStep): readonly string[] {
  const sources = inputs.flatMap((input) => input.sources);
  return [...new Set(sources.filter(([, output]) => output !== undefined).map(([step]) => step))];
}
