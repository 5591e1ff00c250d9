import { placeInWords } from "#plumbing/formats/line-and-column";

/** A problem of a specification, or of a document that it names, that would stop the run. */
export interface Problem {
  /** The place in the document: `workflow.specification.steps.0.commands.1`. */
  readonly path: string;
  /** A single sentence. */
  readonly message: string;
  /** The document, and the place in its text. Absent for the specification itself, which arrives as JSON. */
  readonly file?: string;
  /** Counted from 1. */
  readonly line?: number;
  readonly column?: number;
}

/** Returns the sentence with the place in front of it, if it is known: `main.cwl, line 3, column 5: …`. */
export function inWords({ file, message, ...place }: Problem): string {
  return file === undefined ? message : `${placeInWords(file, place)}: ${message}`;
}
