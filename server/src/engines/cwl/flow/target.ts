import type { CwlModel, Sink, Workflow } from "#engines/cwl/model/model";

/**
 * Returns the model reduced to the target: the steps of the main workflow that lead to the step or output `TARGET`, and
 * the outputs known after them. Undefined if neither a step nor an output has the name.
 */
export function maybeTargeted(model: CwlModel, target: string): CwlModel | undefined {
  const main = model.processes[model.main]!;
  if (main.kind !== "workflow") return undefined;
  const output = main.outputs.find(({ name }) => name === target);
  const step = main.steps.find(({ name }) => name === target);
  const first = step ? [step.name] : output && stepsIn(output);
  if (!first) return undefined;
  const wanted = leadingTo(main, first);
  const steps = main.steps.filter(({ name }) => wanted.has(name));
  const outputs = main.outputs.filter((one) => stepsIn(one).every((name) => wanted.has(name)));
  const processes = model.processes.with(model.main, { ...main, steps, outputs });
  return { ...model, processes };
}

/** Lists the allowed values of the option. */
export function targetsOf({ processes, main }: CwlModel): readonly string[] {
  const workflow = processes[main]!;
  if (workflow.kind !== "workflow") return [];
  return [...workflow.steps, ...workflow.outputs].map(({ name }) => name);
}

function leadingTo({ steps }: Workflow, first: readonly string[]): ReadonlySet<string> {
  const found = new Set(first);
  const todo = [...first];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const step = steps.find(({ name }) => name === next)!;
    for (const before of step.inputs.flatMap(stepsIn)) {
      if (found.has(before)) continue;
      found.add(before);
      todo.push(before);
    }
  }
  return found;
}

function stepsIn({ sources }: Pick<Sink, "sources">): string[] {
  return sources.flatMap(([step, output]) => (output === undefined ? [] : [step]));
}
