import path from "node:path";
import type { ToolContext } from "#engines/cwl/command/tool-context";
import { CwlFailure, type Variables } from "#engines/cwl/expressions/evaluator";
import type { OutputBinding } from "#engines/cwl/model/bindings";
import type { Tool } from "#engines/cwl/model/model";
import { branchesOf, type CwlType, isPrimitive, mayHold } from "#engines/cwl/model/types";
import { CONTENTS_MAX } from "#engines/cwl/values/admit";
import { asList } from "#engines/cwl/model/json";
import { hasParentSegment } from "#plumbing/files/relative-path";
import type { Collect } from "#workflow/job/job";

/** The file in which a tool may list all outputs. */
export const OUTPUT_FILE = "cwl.output.json";

type PatternContext = Pick<ToolContext, "evaluator" | "workspaceFolder" | "folder" | "what">;

/** Returns the file information to report with the end of a job, so that most jobs need no further request. */
export function outputPatterns(
  tool: Tool,
  context: PatternContext,
  variables: Variables,
): Pick<Collect, "sums" | "texts"> {
  const sums = new Set<string>();
  const texts = new Set([OUTPUT_FILE]);
  for (const { type, binding, where } of bindingsIn(tool)) {
    const patterns = globs(binding, where, context, variables).filter((pattern) => pattern !== ".");
    for (const pattern of patterns) {
      sums.add(pattern);
      if (mayHold(type, "Directory")) sums.add(`${pattern}/**`);
      if (binding.loadContents) texts.add(pattern);
    }
  }
  return {
    ...(sums.size > 0 && { sums: { patterns: [...sums], algorithm: "sha1" } }),
    texts: { patterns: [...texts], maxBytes: CONTENTS_MAX },
  };
}

interface BindingOfOutput {
  readonly type: CwlType;
  readonly binding: OutputBinding;
  /** The output, and the field of a record in it, for sentences. */
  readonly where: string;
}

function bindingsIn(tool: Tool): BindingOfOutput[] {
  return tool.outputs.flatMap(({ name, type, binding }) => {
    const where = placeOfOutput(name);
    return [...(binding ? [{ type, binding, where }] : []), ...bindingsOf(type, where)];
  });
}

/** Returns the words for an output in sentences. */
export function placeOfOutput(name: string): string {
  return `the output \`${name}\``;
}

/** Returns the words for a field of a record in an output. */
export function placeOfField(where: string, name: string): string {
  return `${where}, field \`${name}\``;
}

function bindingsOf(type: CwlType, where: string): BindingOfOutput[] {
  return branchesOf(type).flatMap((branch) => {
    if (isPrimitive(branch) || branch.kind !== "record") return [];
    return branch.fields.flatMap(({ name, type: inner, output }) => {
      const place = placeOfField(where, name);
      return [
        ...(output ? [{ type: inner, binding: output, where: place }] : []),
        ...bindingsOf(inner, place),
      ];
    });
  });
}

/** Returns the patterns of an output (`where`), relative to the working folder. `.` is the folder itself. */
export function globs(
  binding: OutputBinding,
  where: string,
  context: PatternContext,
  variables: Variables,
): readonly string[] {
  const outdir = String(variables.runtime?.["outdir"]);
  return binding.glob.flatMap((glob) =>
    asList(context.evaluator.value(glob, variables, { field: `${where}, \`glob\`` })).flatMap((pattern) => {
      if (pattern === "" || pattern === null) return [];
      if (typeof pattern !== "string")
        throw new CwlFailure(
          `${context.what}: ${where}: the glob \`${glob}\` gives ${JSON.stringify(pattern)}, not a text.`,
        );
      const inside = pattern.startsWith(`${outdir}/`)
        ? pattern.slice(outdir.length + 1)
        : pattern === outdir
          ? "."
          : pattern;
      const clean = path.posix.normalize(inside).replace(/(?<=.)\/$/, "");
      if (clean.startsWith("/") || hasParentSegment(clean))
        throw new CwlFailure(
          `${context.what}: ${where}: the glob ${pattern} leads out of the working folder.`,
        );
      return [clean];
    }),
  );
}
