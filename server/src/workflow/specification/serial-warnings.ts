import { type Faults, joinPath } from "#workflow/specification/shape";
import { findDangerous } from "#workflow/specification/step-parameters";

/** Warnings that REANA gives for the commands of a serial workflow. */

const STEPS = "workflow.specification.steps";
/** `$name` or `${name}`. `$$` is a literal dollar sign: a name after `$$` is not a parameter. */
const PARAMETER = /\$(?:\$|([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})/g;

export interface SerialStep {
  readonly name?: unknown;
  readonly commands: readonly string[];
}

/** Finds unused parameters, and used but undefined parameters. */
export function* findParameterWarnings(
  steps: readonly SerialStep[],
  parameters: ReadonlySet<string>,
): Faults {
  const used = parametersOf(steps);
  for (const name of parameters) {
    if (used.has(name)) continue;
    const message = `REANA input parameter "${name}" does not seem to be used.`;
    yield { code: "parameters", path: joinPath("inputs.parameters", name), message };
  }
  for (const [name, where] of used) {
    if (parameters.has(name)) continue;
    const places = `step${where.size > 1 ? "s" : ""} "${[...where].join(", ")}"`;
    const message = `Serial parameter "${name}" found on ${places} is not defined in input parameters.`;
    yield { code: "parameters", path: STEPS, message };
  }
}

export function findDangerousCommands(steps: readonly SerialStep[]): Faults {
  const named = (step: SerialStep, index: number) => ({
    name: stepName(step, index),
    commands: step.commands,
    path: joinPath(STEPS, index),
  });
  return findDangerous(steps.map(named));
}

/** Returns the used parameters, each with its steps. */
function parametersOf(steps: readonly SerialStep[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [index, step] of steps.entries()) {
    for (const command of step.commands) {
      for (const [, bare, braced] of command.matchAll(PARAMETER)) {
        const name = bare ?? braced;
        if (name === undefined) continue;
        const where = found.get(name) ?? new Set();
        found.set(name, where.add(stepName(step, index)));
      }
    }
  }
  return found;
}

function stepName(step: SerialStep, index: number): string {
  return typeof step.name === "string" && step.name !== "" ? step.name : String(index);
}
