import { placeInWords } from "#plumbing/formats/line-and-column";

/** A problem of a specification, or of a document named in the specification, that would stop the run. */
export interface Problem {
  /** The place in the document: `workflow.specification.steps.0.commands.1`. */
  readonly path: string;
  /** A single sentence. */
  readonly message: string;
  /** The document that contains the problem. Undefined for the specification itself, which arrives as JSON. */
  readonly file?: string;
  /** Counted from 1. */
  readonly line?: number;
  readonly column?: number;
}

/** Returns whether a document is valid so far, but requires features missing in Reprise. */
export function isUnsupported({ message }: Pick<Problem, "message">): boolean {
  return message.includes("Unsupported: ");
}

/** Returns the code of a fault for reports: `unsupported` if the document is valid and cannot be run. */
export function faultCode(problem: Pick<Problem, "message">): "start" | "unsupported" {
  return isUnsupported(problem) ? "unsupported" : "start";
}

/** Returns the sentence, prefixed with the place if known: `main.cwl, line 3, column 5: …`. */
export function inWords({ file, message, ...place }: Problem): string {
  return file === undefined ? message : `${placeInWords(file, place)}: ${message}`;
}
