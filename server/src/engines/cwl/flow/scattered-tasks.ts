import type { Address, RunningStep, Task } from "#engines/cwl/flow/state";
import { type ProcessPlace, placeOf } from "#engines/cwl/flow/places";
import { taskInputs } from "#engines/cwl/flow/scatter";
import { maybeStep } from "#engines/cwl/flow/tree";
import type { CwlModel, Process, Workflow, WorkflowStep } from "#engines/cwl/model/model";
import { taskInSentence, taskLabel, taskWord } from "#engines/task-label";

/** Finds the step, process and settings of a task, with the tasks of scattered steps in the names. */
export function placeIn(model: CwlModel, root: Task, address: Address): ProcessPlace {
  const place = placeOf(model, address);
  const tasks = taskWords(model, root, address);
  if (!place.step || tasks.length === 0) return place;
  return {
    ...place,
    label: taskLabel(place.step.name, tasks),
    what: taskInSentence(place.names.join("/"), tasks),
  };
}

function taskWords(model: CwlModel, root: Task, address: Address): string[] {
  const words: string[] = [];
  let process: Process = model.processes[model.main]!;
  for (let at = 0; at < address.length; at += 2) {
    const step: WorkflowStep = (process as Workflow).steps[address[at]!]!;
    if (step.scatter.length > 0) words.push(taskOf(step, root, address.slice(0, at + 2)));
    process = model.processes[step.run]!;
  }
  return words;
}

function taskOf(step: WorkflowStep, root: Task, address: Address): string {
  const { inputs, shape, width } = maybeStep(root, address.slice(0, -1)) as RunningStep;
  const index = address.at(-1)!;
  const valuesAt = (position: number) => {
    const given = taskInputs(step, inputs, shape, position);
    return Object.fromEntries(step.scatter.map((name) => [name, given[name]]));
  };
  const others = [0, width - 1].filter((other) => other !== index);
  return taskWord({ number: index + 1, values: valuesAt(index), others: others.map(valuesAt) });
}
