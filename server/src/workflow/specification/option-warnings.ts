import { type Language, LANGUAGES } from "#workflow/language";
import { type Faults, isObject, joinPath } from "#workflow/specification/shape";
import { hasParentSegment } from "#plumbing/files/relative-path";

/** The operational option that selects which files are kept, and the key of `workspace` in a specification. */
export const KEEP = "keep";

/** Operational options, and the languages that accept each option. */
const OPTIONS = new Map<string, readonly Language[]>([
  ["CACHE", ["serial"]],
  ["FROM", ["serial"]],
  ["TARGET", ["serial", "cwl"]],
  // REANA's clients send TARGET of a CWL workflow under this name.
  ["--target", ["cwl"]],
  ["on_failure", ["serial", "snakemake"]],
  [KEEP, LANGUAGES],
  ["toplevel", ["yadage"]],
  ["initdir", ["yadage"]],
  ["initfiles", ["yadage"]],
  ["accept_metadir", ["yadage"]],
  ["report", ["snakemake"]],
]);

export function* findOptionWarnings(inputs: unknown, type: Language): Faults {
  if (!isObject(inputs) || !isObject(inputs.options)) return;
  for (const name of Object.keys(inputs.options)) {
    const message = unsupportedOption(name, type);
    if (message === undefined) continue;
    yield { code: "operational_options", path: joinPath("inputs.options", name), message };
  }
}

/**
 * Returns why workflows of the given language do not support an operational option. Undefined for a supported
 * option.
 */
export function unsupportedOption(name: string, type: Language): string | undefined {
  const languages = OPTIONS.get(name);
  if (languages?.includes(type)) return undefined;
  const reason = languages ? `not supported for ${type} workflows` : "not supported";
  return `Operational option "${name}" ${reason}.`;
}

/** Finds retention rules whose pattern is not inside the workspace. */
export function* findRetentionWarnings(workspace: unknown): Faults {
  if (!isObject(workspace) || !isObject(workspace.retention_days)) return;
  for (const rule of Object.keys(workspace.retention_days)) {
    const reason = unsafeRule(rule);
    if (reason === undefined) continue;
    const path = joinPath("workspace.retention_days", rule);
    yield { code: "retention", path, message: `Retention rule ${rule} cannot ${reason}` };
  }
}

/** Returns why a pattern cannot be a rule, as the end of "cannot …". Undefined if it can. */
export function unsafeRule(rule: string): string | undefined {
  if (rule === "") return "be empty";
  if (rule.startsWith("/")) return "be an absolute path";
  return hasParentSegment(rule) ? "contain '..'" : undefined;
}
