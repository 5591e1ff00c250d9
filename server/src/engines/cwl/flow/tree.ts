import type { Address, RunningStep, Scope, StepState, Task } from "#engines/cwl/flow/state";
import { itemAt, withItem } from "#engines/wide-list";

/** Returns the task at an address. Undefined if the task does not exist (any more). */
export function maybeTask(root: Task, address: Address): Task | undefined {
  let task: Task | undefined = root;
  for (let at = 0; at < address.length; at += 2) {
    if (task?.kind !== "scope") return undefined;
    const step: StepState | undefined = task.steps[address[at]!];
    if (step?.kind !== "running") return undefined;
    task = itemAt(step.tasks, address[at + 1]!) ?? undefined;
  }
  return task;
}

export function maybeStep(root: Task, address: Address): StepState | undefined {
  const scope = maybeTask(root, address.slice(0, -1));
  return scope?.kind === "scope" ? scope.steps[address.at(-1)!] : undefined;
}

/** Returns the tree with the task at an address replaced. Only the path to the task is copied. */
export function withTask(root: Task, address: Address, task: Task): Task {
  const [step, index, ...rest] = address;
  if (step === undefined || index === undefined) return task;
  return withStep(root, [step], (state) => {
    const running = state as RunningStep;
    const inner = rest.length === 0 ? task : withTask(itemAt(running.tasks, index)!, rest, task);
    return { ...running, tasks: withItem(running.tasks, index, inner) };
  });
}

export function withStep(root: Task, address: Address, change: (step: StepState) => StepState): Task {
  const above = address.slice(0, -1);
  const last = address.at(-1)!;
  const scope = maybeTask(root, above) as Scope;
  const steps = scope.steps.with(last, change(scope.steps[last]!));
  return withTask(root, above, { ...scope, steps });
}
