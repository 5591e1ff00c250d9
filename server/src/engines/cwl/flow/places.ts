import { effectiveRequirements, type Demands, type Effective } from "#engines/cwl/command/requirements";
import type { Address } from "#engines/cwl/flow/state";
import type { CwlModel, CwlVersion, Process, Workflow, WorkflowStep } from "#engines/cwl/model/model";

/** The place of an address in the model. */
export interface ProcessPlace {
  readonly process: Process;
  /** The step that runs the process. Undefined for the main process. */
  readonly step: WorkflowStep | undefined;
  /** The version of the document that holds the step, or of the main process if there is no step. */
  readonly stepVersion: CwlVersion;
  /** Demands of the surrounding workflows and steps, from the outside in. */
  readonly around: readonly Demands[];
  /** Names of the steps, with the positions of tasks in scatters: `["align", "3", "sort"]`. */
  readonly path: readonly string[];
  /** Names of the steps alone. */
  readonly names: readonly string[];
  /** The node of the graph: the names alone. */
  readonly node: string;
  /** The name of the place in messages: `Step "align", task 4`. */
  readonly what: string;
  /** The label of the job of a scattered step: `align · task 4 (s04.txt)`. */
  readonly label?: string;
}

/** Finds the step, the process and the settings of a task. */
export function placeOf(model: CwlModel, address: Address): ProcessPlace {
  let process = model.processes[model.main]!;
  let step: WorkflowStep | undefined;
  let stepVersion = process.version;
  const around: Demands[] = [];
  const path: string[] = [];
  const names: string[] = [];
  for (let at = 0; at < address.length; at += 2) {
    around.push(process);
    stepVersion = process.version;
    step = (process as Workflow).steps[address[at]!]!;
    around.push(step);
    names.push(step.name);
    path.push(step.name);
    if (step.scatter.length > 0) path.push(String(address[at + 1]));
    process = model.processes[step.run]!;
  }
  if (names.length === 0) {
    const { name } = process;
    return { process, step, stepVersion, around, path: [name], names, node: name, what: name };
  }
  const node = names.map(encoded).join("/");
  const number = step!.scatter.length > 0 ? `, task ${address.at(-1)! + 1}` : "";
  return {
    process,
    step,
    stepVersion,
    around,
    path,
    names,
    node,
    what: `Step "${names.join("/")}"${number}`,
  };
}

/** Returns the key of a task's job: the path, with slashes in names encoded. */
export function keyOf({ path }: Pick<ProcessPlace, "path">): string {
  return path.map(encoded).join("/");
}

function encoded(name: string): string {
  return name.replaceAll("%", "%25").replaceAll("/", "%2F");
}

/** Finds the task of the job with the key. Undefined if no job can have that key. */
export function maybeAddress(model: CwlModel, key: string): Address | undefined {
  const main = model.processes[model.main]!;
  if (main.kind !== "workflow") return key === encoded(main.name) ? [] : undefined;
  const address: number[] = [];
  let process: Process = main;
  const words = key.split("/");
  while (words.length > 0) {
    if (process.kind !== "workflow") return undefined;
    const name = words.shift()!;
    const at: number = process.steps.findIndex((one) => encoded(one.name) === name);
    const step: WorkflowStep | undefined = process.steps[at];
    if (!step) return undefined;
    const index = step.scatter.length > 0 ? Number(words.shift()) : 0;
    if (!Number.isInteger(index) || index < 0) return undefined;
    address.push(at, index);
    process = model.processes[step.run]!;
  }
  return address;
}

export function demandsOf(model: CwlModel, { process, around }: ProcessPlace): Effective {
  return effectiveRequirements(process, around, model.jobRequirements);
}
