import path from "node:path";
import type { ToolContext } from "#engines/cwl/command/tool-context";
import { CwlFailure, type Variables } from "#engines/cwl/expressions/evaluator";
import type { OutputBinding } from "#engines/cwl/model/bindings";
import type { Tool } from "#engines/cwl/model/model";
import { branchesOf, type CwlType, isPrimitive, mayHold } from "#engines/cwl/model/types";
import { CONTENTS_MAX } from "#engines/cwl/values/admit";
import { asList } from "#engines/cwl/values/json";
import type { Collect } from "#workflow/job/job";

/** The file by which a tool may say itself what its outputs are. */
export const OUTPUT_FILE = "cwl.output.json";

type PatternContext = Pick<ToolContext, "evaluator" | "workspaceFolder" | "folder" | "what">;

/** Returns what is to be known of a job's files with its end, so that an ordinary job needs no further request. */
export function outputPatterns(
  tool: Tool,
  context: PatternContext,
  variables: Variables,
): Pick<Collect, "sums" | "texts"> {
  const sums = new Set<string>();
  const texts = new Set([OUTPUT_FILE]);
  for (const { type, binding } of bindingsIn(tool)) {
    const patterns = globs(binding, context, variables).filter((pattern) => pattern !== ".");
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

function bindingsIn(tool: Tool): { readonly type: CwlType; readonly binding: OutputBinding }[] {
  return tool.outputs.flatMap(({ type, binding }) => [
    ...(binding ? [{ type, binding }] : []),
    ...bindingsOf(type),
  ]);
}

function bindingsOf(type: CwlType): { readonly type: CwlType; readonly binding: OutputBinding }[] {
  return branchesOf(type).flatMap((branch) => {
    if (isPrimitive(branch) || branch.kind !== "record") return [];
    return branch.fields.flatMap(({ type: inner, output }) => [
      ...(output ? [{ type: inner, binding: output }] : []),
      ...bindingsOf(inner),
    ]);
  });
}

/** Returns the patterns of an output, relative to the working folder. `.` is the folder itself. */
export function globs(
  binding: OutputBinding,
  context: PatternContext,
  variables: Variables,
): readonly string[] {
  const outdir = String(variables.runtime?.["outdir"]);
  return binding.glob.flatMap((glob) =>
    asList(context.evaluator.value(glob, variables)).flatMap((pattern) => {
      if (pattern === "" || pattern === null) return [];
      if (typeof pattern !== "string")
        throw new CwlFailure(
          `${context.what}: the glob \`${glob}\` gives ${JSON.stringify(pattern)}, not a text.`,
        );
      const inside = pattern.startsWith(`${outdir}/`)
        ? pattern.slice(outdir.length + 1)
        : pattern === outdir
          ? "."
          : pattern;
      const clean = path.posix.normalize(inside).replace(/(?<=.)\/$/, "");
      if (clean.startsWith("/") || clean === ".." || clean.startsWith("../"))
        throw new CwlFailure(`${context.what}: the glob ${pattern} leads out of the working folder.`);
      return [clean];
    }),
  );
}
