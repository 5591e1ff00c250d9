import { workflowsIn } from "#engines/yadage/state/context";
import type { Model, Stage } from "#engines/yadage/model";
import { FormatError, pythonFormat } from "#plumbing/text/python-format";
import type { Specification } from "#workflow/specification/specification";
import { isObject } from "#workflow/specification/shape";

/** Maximum number of named stages. */
const NAMED_MAX = 20;

/**
 * Returns a sentence for each stage whose command holds a placeholder without a matching parameter. Skips stages that
 * choose among cases or take parameters from a program, because the placeholders are known only during a run. Returns
 * an empty list if the client has sent the workflow, because the client's warnings have named the stages.
 */
export function unannouncedUnfilled({ workflow }: Specification, model: Model): readonly string[] {
  if (isObject(workflow.specification)) return [];
  const sentences = workflowsIn(model.workflow).flatMap(({ stages }) => stages.flatMap(sentencesAbout));
  return sentences.slice(0, NAMED_MAX);
}

function sentencesAbout({ name, scheduler }: Stage): readonly string[] {
  const { step } = scheduler;
  if (scheduler.scheduler_type === "jq-stage" || !step?.process) return [];
  const { process } = step;
  const template = process.process_type === "string-interpolated-cmd" ? process.cmd : process.script;
  const keys = scheduler.parameters.map(({ key }) => key);
  const placeholder = maybeUnknown(template, keys);
  if (placeholder === undefined) return [];
  const known = keys.toSorted().join(", ") || "none";
  return [
    `Stage "${name}" has a command with the unknown placeholder ${placeholder} (its parameters: ${known}). A run would fail there.`,
  ];
}

/** Returns the first placeholder with an unknown name, unless an earlier placeholder depends on a parameter's value. */
function maybeUnknown(template: string, keys: readonly string[]): string | undefined {
  try {
    pythonFormat(template, { named: Object.fromEntries(keys.map((key) => [key, ""])) });
    return undefined;
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const [, name] = /^\{([^.[!:}]*)/.exec(error.placeholder) ?? [];
    return error.kind === "key" && name !== undefined && !keys.includes(name) ? error.placeholder : undefined;
  }
}
