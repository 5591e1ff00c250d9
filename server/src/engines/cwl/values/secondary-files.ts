import { isExpression } from "#engines/cwl/documents/reader";
import { CwlFailure, type Evaluator, type Variables } from "#engines/cwl/expressions/evaluator";
import type { FileRules } from "#engines/cwl/model/bindings";
import type { FactBook } from "#engines/cwl/values/facts";
import {
  basenameOf,
  siblingPath,
  type FileValue,
  isFileValue,
  secondaryName,
} from "#engines/cwl/values/files";
import { asList } from "#engines/cwl/model/json";
import { filesFromExpression, isLiteral, type Places, present } from "#engines/cwl/values/present";
import { isSecondaryRequired } from "#engines/cwl/values/required";

/** A search for the secondary files of an input. */
export interface SecondarySearch {
  readonly facts: FactBook;
  readonly evaluator: Evaluator;
  readonly places: Places;
  /** True if files come from outside: only in this case are secondary files searched in the folder of the file. */
  readonly isOutermost: boolean;
  readonly inputs: Variables["inputs"];
  /** The process and the place of the file, for refusals. */
  readonly what: string;
  readonly where: string;
  /** Called with a sentence if a required secondary file is missing. */
  readonly onMissing: (sentence: string) => void;
}

/** Returns the file with the secondary files named by the patterns. */
export function withSecondaryFiles(
  file: FileValue,
  patterns: FileRules["secondaryFiles"],
  search: SecondarySearch,
): FileValue {
  const { inputs, places, evaluator, what, where, onMissing } = search;
  const found = [...(file.secondaryFiles ?? [])];
  for (const { pattern, required } of patterns) {
    const variables = { inputs, self: present(file, places) };
    const isRequired = required === undefined || isSecondaryRequired(evaluator, required, variables, what);
    for (const wanted of named(pattern, file, variables, search)) {
      const name = typeof wanted === "string" ? wanted : basenameOf(wanted);
      if (found.some((one) => basenameOf(one) === lastName(name))) continue;
      const one = find(wanted, file, search);
      if (one !== undefined && one !== "unknown") found.push(one);
      if (one === undefined && isRequired)
        onMissing(
          `${where}: the secondary file ${name} of ${basenameOf(file)} is missing (pattern \`${pattern}\`)`,
        );
    }
  }
  return found.length > 0 ? { ...file, secondaryFiles: found } : file;
}

function named(
  pattern: string,
  file: FileValue,
  variables: Variables,
  { evaluator, places, what }: SecondarySearch,
): readonly (string | FileValue)[] {
  if (!isExpression(pattern)) return [secondaryName(basenameOf(file), pattern)];
  const result = filesFromExpression(
    evaluator.value(pattern, variables, { field: "`secondaryFiles`" }),
    places,
  );
  return asList(result)
    .flat()
    .filter((one): one is string | FileValue => {
      if (typeof one === "string" || isFileValue(one)) return true;
      if (one === null) return false;
      throw new CwlFailure(
        `${what}: the pattern \`${pattern}\` of \`secondaryFiles\` names neither a file nor a text.`,
      );
    });
}

/** Finds a secondary file in the folder of its primary file, if files may be searched. */
function find(
  wanted: string | FileValue,
  primary: FileValue,
  { isOutermost, facts }: SecondarySearch,
): FileValue | "unknown" | undefined {
  const location = typeof wanted === "string" ? maybeBeside(primary, wanted) : wanted.location;
  if (!isOutermost || location === undefined) return undefined;
  const sight = facts.look(location);
  if (!sight) return "unknown";
  const given = typeof wanted === "string" ? undefined : wanted.basename;
  const base = { location, basename: given ?? basenameOf({ class: "File", location }) };
  switch (sight.kind) {
    case "file":
      return { class: "File", ...base, size: sight.bytes };
    case "folder":
      return { class: "Directory", ...base };
    case "link":
      return sight.target ? { class: "File", ...base, location: sight.target } : undefined;
    case "absent":
      return undefined;
  }
}

function maybeBeside(primary: FileValue, name: string): string | undefined {
  return isLiteral(primary) ? undefined : siblingPath(primary.location!, name);
}

/** Returns the last part of a path: `sub/a.idx/` → `a.idx`. */
function lastName(path: string): string {
  return path.replace(/\/$/, "").replace(/^.*\//, "");
}
