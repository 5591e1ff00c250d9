import { CwlFailure, type Evaluator, type Variables } from "#engines/cwl/expressions/evaluator";
import { basenameOf, type FileValue } from "#engines/cwl/values/files";
import { asList } from "#engines/cwl/model/json";

export interface WantedFormat {
  /** Addresses of formats, or expressions. Empty if any format is accepted. */
  readonly format: readonly string[];
  readonly inputs: Variables["inputs"];
  readonly evaluator: Evaluator;
  /** The superclasses of each format, including the format itself. */
  readonly formats: Readonly<Record<string, readonly string[]>>;
  /** The beginning of a refusal: the process and the place of the file. */
  readonly where: string;
}

/** Refuses a file if its format is not accepted. */
export function checkFormat(
  file: FileValue,
  { format: wanted, inputs, evaluator, formats, where }: WantedFormat,
): void {
  if (wanted.length === 0) return;
  const allowed = wanted.flatMap((one) =>
    asList(evaluator.value(one, { inputs }, { field: "`format`" })).map((format) => {
      if (typeof format === "string") return format;
      throw new CwlFailure(
        `${where}: \`format\` gives ${JSON.stringify(format)}, not the address of a format.`,
      );
    }),
  );
  if (file.format === undefined)
    throw new CwlFailure(`${where}: ${basenameOf(file)} has no format; ${allowed.join(" or ")} is wanted.`);
  const kinds = formats[file.format] ?? [file.format];
  if (allowed.some((one) => kinds.includes(one))) return;
  throw new CwlFailure(
    `${where}: ${basenameOf(file)} has the format ${file.format}, which is no ${allowed.join(" and no ")}.`,
  );
}
