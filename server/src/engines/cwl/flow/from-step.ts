import { decision } from "#engines/contents-decisions";
import type { CwlModel, Workflow } from "#engines/cwl/model/model";
import type { Restart } from "#engines/engine";
import type { Decision } from "#workflow/job/decision";
import type { JobContents } from "#workflow/job/job-contents";

interface Ready {
  /** Names of the steps around the job. */
  readonly names: readonly string[];
  readonly contents?: JobContents | undefined;
}

/** Returns why a job of a restart runs without a comparison with earlier runs. Undefined if the comparison decides. */
export function whyItRuns(
  model: CwlModel,
  { fresh, fromStep }: Restart,
  { names, contents }: Ready,
): Decision | undefined {
  if (fresh) return decision("fresh", [{ field: "fresh", before: null, now: true }]);
  const start = fromStep === null ? undefined : maybeStepPath(model, fromStep);
  if (start && isFrom(model, start, names))
    return decision("from-step", [{ field: "from_step", before: null, now: fromStep }]);
  if (contents) return undefined;
  return decision("never-reused", [{ field: "reuse", before: null, now: false }]);
}

/** Returns the path of steps to a step with the name, in any workflow of the model. Ignores case. */
export function maybeStepPath(model: CwlModel, name: string): readonly string[] | undefined {
  return allSteps(model).find((path) => isNamed(path, name));
}

/** Returns the paths of all steps. A step precedes the steps inside it. */
export function allSteps(model: CwlModel): readonly (readonly string[])[] {
  const found: string[][] = [];
  const level = (run: number, above: readonly string[]): void => {
    const process = model.processes[run]!;
    if (process.kind !== "workflow") return;
    for (const step of process.steps) found.push([...above, step.name]);
    for (const step of process.steps) level(step.run, [...above, step.name]);
  };
  level(model.main, []);
  return found;
}

function isNamed(path: readonly string[], name: string): boolean {
  return [path.join("/"), path.at(-1)!].some((one) => one.toLowerCase() === name.toLowerCase());
}

/** Returns whether a step is the start step, or depends on it directly or indirectly. */
function isFrom(model: CwlModel, start: readonly string[], step: readonly string[]): boolean {
  let process = model.processes[model.main]!;
  for (const [level, name] of start.entries()) {
    if (process.kind !== "workflow" || step[level] === undefined) return false;
    if (step[level] !== name) return after(process, name).has(step[level]);
    if (level === start.length - 1) return true;
    const workflow: Workflow = process;
    process = model.processes[workflow.steps.find((one) => one.name === name)!.run]!;
  }
  return false;
}

/** Returns the names of steps that depend on a step of the same workflow. */
function after({ steps }: Workflow, name: string): ReadonlySet<string> {
  const found = new Set<string>();
  const todo = [name];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    for (const step of steps) {
      const needs = step.inputs.some(({ sources }) =>
        sources.some(([from, output]) => output !== undefined && from === next),
      );
      if (!needs || found.has(step.name)) continue;
      found.add(step.name);
      todo.push(step.name);
    }
  }
  return found;
}
