import { arrivingType, hasDefault, typeAt, withoutNull } from "#engines/cwl/checks/link-types";
import { maybeStepCycle } from "#engines/cwl/checks/step-cycle";
import { ANYTHING, fit } from "#engines/cwl/checks/type-fit";
import type {
  InputParameter,
  Process,
  Sink,
  StepInput,
  Workflow,
  WorkflowStep,
} from "#engines/cwl/model/model";
import { branchesOf, type CwlType, mayHold, typeText } from "#engines/cwl/model/types";
import { nearestWord } from "#plumbing/text/nearest-word";

/** A definite or possible problem of a link. */
export interface LinkFinding {
  /** The part of the workflow where the link ends. */
  readonly at: object;
  readonly message: string;
}

export interface LinkReport {
  /** Links that no run can follow. */
  readonly errors: readonly LinkFinding[];
  /** Links on which only some values fit. */
  readonly warnings: readonly LinkFinding[];
}

/** Checks that values have the types wanted at the ends of the links of a workflow. */
export function checkLinks(process: Process, processes: readonly Process[]): LinkReport {
  if (process.kind !== "workflow") return { errors: [], warnings: [] };
  const check = new LinkCheck(process, processes);
  process.steps.forEach((step) => check.step(step));
  check.cycle();
  for (const output of process.outputs) {
    const what = `The workflow's output \`${output.name}\` is`;
    if (output.sources.length > 0) check.link(output, output, output.type, what);
  }
  return check;
}

class LinkCheck implements LinkReport {
  readonly errors: LinkFinding[] = [];
  readonly warnings: LinkFinding[] = [];
  readonly #workflow: Workflow;
  readonly #processes: readonly Process[];

  constructor(workflow: Workflow, processes: readonly Process[]) {
    this.#workflow = workflow;
    this.#processes = processes;
  }

  step(step: WorkflowStep): void {
    const run = this.#processes[step.run];
    if (!run) return;
    this.#outputs(step, run);
    for (const parameter of run.inputs)
      if (!step.inputs.some(({ name }) => name === parameter.name)) this.#absent(step, step, parameter);
    for (const input of step.inputs)
      this.#input(
        step,
        input,
        run.inputs.find(({ name }) => name === input.name),
      );
  }

  /** Refuses a cycle of steps: no step in a cycle could ever start. */
  cycle(): void {
    const cycle = maybeStepCycle(this.#workflow);
    if (!cycle) return;
    const names = cycle.map(({ name }) => name).join(" → ");
    this.errors.push({ at: cycle[0]!, message: `Step \`${cycle[0]!.name}\` waits for itself: ${names}.` });
  }

  /** Checks that every value arriving at one sink fits the wanted type. */
  link(at: object, sink: Sink, wanted: CwlType, what: string, replacesNull = false): void {
    const arriving = arrivingType(sink, this.#workflow, this.#processes);
    const given = replacesNull ? withoutNull(arriving) : arriving;
    const how = fit(given, wanted);
    if (how === "always") return;
    const sources = `${what} ${typeText(wanted)}, ${how === "never" ? "but" : "and"} ${this.#sourcesText(sink, given)}`;
    if (how === "never") this.errors.push({ at, message: `${sources}.` });
    else this.warnings.push({ at, message: `${sources}, which does not always fit.` });
  }

  #outputs(step: WorkflowStep, run: Process): void {
    const names = run.outputs.map(({ name }) => name);
    for (const output of step.outputs.filter((name) => !names.includes(name))) {
      const nearest = nearestWord(output, names);
      const hint = nearest === undefined ? "." : `; did you mean \`${nearest}\`?`;
      const message = `Step \`${step.name}\`: its \`out\` names \`${output}\`, which is no output of ${run.name}${hint}`;
      this.errors.push({ at: step, message });
    }
  }

  #input(step: WorkflowStep, input: StepInput, parameter: InputParameter | undefined): void {
    const { name, sources, valueFrom } = input;
    if (sources.length === 0) {
      if (parameter && valueFrom === undefined && !hasDefault(input)) this.#absent(step, input, parameter);
      return;
    }
    // `valueFrom` may give any type. An input that the process does not have is seen by expressions alone.
    const item = parameter && valueFrom === undefined ? parameter.type : ANYTHING;
    const isScattered = step.scatter.includes(name);
    const takes = parameter && hasDefault(parameter) ? withNull(item) : item;
    const wanted: CwlType = isScattered ? { kind: "array", items: takes } : takes;
    const what = `Step \`${step.name}\`, input \`${name}\` ${isScattered ? "is scattered and takes" : "takes"}`;
    // A condition lets a step keep null away from its process.
    this.link(input, input, wanted, what, hasDefault(input) || step.when !== undefined);
    if (parameter && valueFrom === undefined) this.#secondaryFiles(step, input, parameter);
  }

  #absent(step: WorkflowStep, at: object, parameter: InputParameter): void {
    if (hasDefault(parameter) || branchesOf(parameter.type).includes("null")) return;
    const { name, type } = parameter;
    const message = `Step \`${step.name}\`, input \`${name}\` takes ${typeText(type)}, but has no source, no default and no \`valueFrom\`.`;
    this.errors.push({ at, message });
  }

  /** Warns of a file that arrives without secondary files required by the step. */
  #secondaryFiles(step: WorkflowStep, input: StepInput, { secondaryFiles }: InputParameter): void {
    const wanted = secondaryFiles.filter(({ required }) => required === undefined || required === true);
    for (const source of input.sources) {
      const given = this.#secondaryPatterns(source);
      if (!given || !mayHold(typeAt(source, this.#workflow, this.#processes), "File")) continue;
      const missing = wanted.map(({ pattern }) => pattern).filter((pattern) => !given.includes(pattern));
      if (missing.length === 0) continue;
      const message = `Step \`${step.name}\`, input \`${input.name}\` needs the secondary files ${missing.join(", ")}, which its source \`${source.join("/")}\` does not declare.`;
      this.warnings.push({ at: input, message });
    }
  }

  /** Returns the secondary files declared by a source. Undefined if files may also arrive with undeclared ones. */
  #secondaryPatterns([first, output]: StepInput["sources"][number]): readonly string[] | undefined {
    const step = this.#workflow.steps.find(({ name }) => name === first);
    const process = output === undefined ? undefined : this.#processes[step?.run ?? -1];
    // Outputs of expressions and of workflows pass on files with all their secondary files.
    if (process?.kind !== "tool") return undefined;
    const made = process.outputs.find(({ name }) => name === output);
    if (!made || made.binding?.outputEval !== undefined) return undefined;
    return made.secondaryFiles.map(({ pattern }) => pattern);
  }

  #sourcesText({ sources, linkMerge, pickValue }: Sink, given: CwlType): string {
    const names = sources.map((source) => `\`${source.join("/")}\``).join(", ");
    if (sources.length === 1) return `its source ${names} gives ${typeText(given)}`;
    const how = [linkMerge, ...(pickValue ? [pickValue] : [])].join(", ");
    return `its sources ${names} (${how}) give ${typeText(given)}`;
  }
}

function withNull(type: CwlType): CwlType {
  return { kind: "union", of: ["null", ...branchesOf(type)] };
}
