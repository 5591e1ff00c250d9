import type { SpecificationWarning } from "#workflow/specification/specification";
import { printable } from "#plumbing/text/printable";

/** Codes whose messages do not name the part of the document. */
const WITHOUT_PLACE: ReadonlySet<string> = new Set(["schema", "additional_properties"]);

const NAME_SHOWN_MAX = 60;

/** Puts the place before a message that does not name it: `step 1 ("fit"): 'environment' is a required property`. */
export function faultSentence({ code, path, message }: SpecificationWarning, document?: unknown): string {
  return WITHOUT_PLACE.has(code) && path !== "" ? `${placeOf(path, document)}: ${message}` : message;
}

/** Turns `workflow.specification.steps.0.name` into `step 1 ("fit"), name`, counting from 1. */
function placeOf(path: string, document: unknown): string {
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
