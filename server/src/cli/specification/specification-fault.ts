import type { SpecificationFault } from "#cli/specification/specification-report";
import { codeOf } from "#plumbing/errors";
import { placeInWords } from "#plumbing/formats/line-and-column";
import { printable } from "#plumbing/text/printable";
import { withoutWishesOfReana } from "#workflow/specification/specification";

/** A specification that was read from a file here. */
export interface SpecificationSource {
  readonly document: unknown;
  /** Returns the place of a path of the document: `reana.yaml, line 4, column 9`. */
  placeOf(path: string): string;
}

/** Codes whose messages do not name the part of the document. */
const WITHOUT_PLACE: ReadonlySet<string> = new Set(["schema", "additional_properties"]);

const NAME_SHOWN_MAX = 60;

/**
 * Puts the place before a message: `reana.yaml, line 4, column 9: step 1 ("fit"): 'environment' is a required property`.
 * Names the step only if the message does not, and the line only if the specification was read from a file here.
 */
export function faultSentence(fault: SpecificationFault, source?: SpecificationSource): string {
  const { code, path, message, file } = fault;
  if (file !== undefined) return `${placeInWords(file, fault)}: ${message}`;
  return [
    ...(source && path !== "" ? [source.placeOf(path)] : []),
    ...(WITHOUT_PLACE.has(code) && path !== "" ? [partInWords(path, source?.document)] : []),
    message,
  ].join(": ");
}

/** Returns the warnings of a run that was created, as sentences. */
export function createdWarnings(
  warnings: readonly SpecificationFault[],
  source?: SpecificationSource,
): readonly string[] {
  return withoutWishesOfReana(warnings).map((warning) => faultSentence(warning, source));
}

/** Adds the place in the file to a server's refusal of the specification, if it is refused here for the same reason. */
export async function namingPlace<Result>(
  source: SpecificationSource | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (source && codeOf(error) === "specification-invalid") {
      const { checkSpecification } = await import("#workflow/specification/check-specification");
      checkSpecification(source.document, { placeOf: (path) => source.placeOf(path) });
    }
    throw error;
  }
}

/** Turns `workflow.specification.steps.0.name` into `step 1 ("fit"), name`, counting from 1. */
function partInWords(path: string, document: unknown): string {
  const match = /^workflow\.specification\.steps\.(\d+)(?:\.(.+))?$/.exec(path);
  if (!match) return path;
  const [, index, rest] = match;
  const name = stepName(document, Number(index));
  return `step ${Number(index) + 1}${name ? ` ("${name}")` : ""}${rest === undefined ? "" : `, ${rest}`}`;
}

/** Old clients write `spec` for `specification`. */
interface Document {
  readonly workflow?: Partial<Readonly<Record<"specification" | "spec", { steps?: { name?: unknown }[] }>>>;
}

function stepName(document: unknown, index: number): string | undefined {
  const { workflow } = (document ?? {}) as Document;
  const name = (workflow?.specification ?? workflow?.spec)?.steps?.[index]?.name;
  return typeof name === "string" ? printable(name, NAME_SHOWN_MAX) : undefined;
}
