import { inWords } from "#engines/problem";
import { OVERRIDES } from "#engines/cwl/load/overrides";
import type { Reader } from "#engines/cwl/documents/reader";
import type { Process } from "#engines/cwl/model/model";
import { mismatch } from "#engines/cwl/values/conform";
import type { Mapping } from "#engines/cwl/model/json";
import { nearestWord } from "#plumbing/text/nearest-word";

/** The input object as written, and as parsed. */
export interface GivenInputs {
  readonly written: Mapping;
  readonly values: Mapping;
  /** Returns true for an input overridden by an option or parameter. */
  readonly isReplaced: (name: string) => boolean;
}

/**
 * Refuses all inputs of a document with the wrong type, each with its line. Warns of ignored entries: inputs unknown to
 * the process, and overrides.
 */
export function checkInputs(reader: Reader, given: GivenInputs, { inputs }: Process): void {
  const { written, values, isReplaced } = given;
  const warn = (key: string, message: string) =>
    reader.warnings.push(inWords(reader.documents.problem({ parent: written, key }, message)));
  for (const key of Object.keys(written)) {
    if (OVERRIDES.test(key) && reader.root !== "/")
      warn(key, `\`${key}\` is an extension of cwltool, which is ignored.`);
    if (key === "id" || key.includes(":") || key.startsWith("$")) continue;
    const input = inputs.find(({ name }) => name === key);
    if (!input) warn(key, `The document has no input \`${key}\`${hintFor(key, inputs)} It is ignored.`);
    else if (!isReplaced(key) && values[key] !== null) {
      const reason = mismatch(values[key], input.type);
      if (reason !== undefined) reader.refuse(written, key, `The input \`${key}\` ${reason}.`);
    }
  }
}

function hintFor(key: string, inputs: Process["inputs"]): string {
  const nearest = nearestWord(
    key,
    inputs.map(({ name }) => name),
  );
  return nearest === undefined ? "." : `; did you mean \`${nearest}\`?`;
}
