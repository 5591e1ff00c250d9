import type { Language } from "#workflow/language";
import { type Faults, isObject, joinPath } from "#workflow/specification/shape";

/** Operational options, and the languages that know them. */
const OPTIONS = new Map<string, readonly Language[]>([
  ["CACHE", ["serial"]],
  ["FROM", ["serial"]],
  ["TARGET", ["serial", "cwl"]],
  ["toplevel", ["yadage"]],
  ["initdir", ["yadage"]],
  ["initfiles", ["yadage"]],
  ["accept_metadir", ["yadage"]],
  ["report", ["snakemake"]],
]);

export function* findOptionWarnings(inputs: unknown, type: Language): Faults {
  if (!isObject(inputs) || !isObject(inputs.options)) return;
  for (const name of Object.keys(inputs.options)) {
    const languages = OPTIONS.get(name);
    if (languages?.includes(type)) continue;
    const reason = languages ? `not supported for ${type} workflows` : "not supported";
    const message = `Operational option "${name}" ${reason}.`;
    yield { code: "operational_options", path: joinPath("inputs.options", name), message };
  }
}

/** A retention rule is a pattern inside the workspace. */
export function* findRetentionWarnings(workspace: unknown): Faults {
  if (!isObject(workspace) || !isObject(workspace.retention_days)) return;
  for (const rule of Object.keys(workspace.retention_days)) {
    const reason = unsafeRule(rule);
    if (reason === undefined) continue;
    const path = joinPath("workspace.retention_days", rule);
    yield { code: "retention", path, message: `Retention rule ${rule} cannot ${reason}` };
  }
}

function unsafeRule(rule: string): string | undefined {
  if (rule === "") return "be empty";
  if (rule.startsWith("/")) return "be an absolute path";
  return rule.split("/").includes("..") ? "contain '..'" : undefined;
}
