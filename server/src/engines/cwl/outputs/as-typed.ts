import { CwlFailure } from "#engines/cwl/expressions/evaluator";
import { branchesOf, type CwlType, isPrimitive } from "#engines/cwl/model/types";
import { mismatch } from "#engines/cwl/values/conform";
import type { FileValue } from "#engines/cwl/values/files";

interface Wanted {
  readonly type: CwlType;
  readonly glob: readonly string[];
  /** Returns the names of all entries of the working folder. */
  readonly names: () => readonly string[];
  /** The beginning of a refusal: the tool and the output. */
  readonly where: string;
}

/** Turns the found files into an output value: a file, or a list of files. */
export function typedOutput(found: readonly FileValue[], { type, glob, names, where }: Wanted): unknown {
  const branches = branchesOf(type);
  const single = branches.some((one) => one === "File" || one === "Directory" || one === "Any");
  const list = branches.some((one) => !isPrimitive(one) && one.kind === "array");
  const patterns = glob.join(", ");
  if (list && !(single && found.length === 1))
    return found.length === 0 && branches.includes("null") && single ? null : found;
  if (found.length > 1)
    throw new CwlFailure(
      `${where}: the pattern ${patterns} matches ${found.length} files, but one is wanted.`,
    );
  if (found.length === 1) return found[0];
  if (branches.includes("null") || glob.length === 0) return null;
  const there = names();
  const seen =
    there.length === 0 ? "the working folder is empty" : `there are: ${there.slice(0, 10).join(", ")}`;
  throw new CwlFailure(`${where}: the pattern ${patterns} matches no file (${seen}).`);
}

/** Unwraps a list with one item given by an expression for a single file. */
export function singleOutput(value: unknown, type: CwlType, where: string): unknown {
  const isSingle = branchesOf(type).some((one) => one === "File" || one === "Directory");
  if (!isSingle || !Array.isArray(value) || mismatch(value, type) === undefined) return value;
  if (value.length > 1)
    throw new CwlFailure(`${where}: \`outputEval\` gives ${value.length} files, but one is wanted.`);
  return (value[0] as unknown) ?? null;
}
