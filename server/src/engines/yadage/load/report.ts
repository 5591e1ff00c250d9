import type { Problem } from "#engines/problem";

/** Maximum number of problems per workflow. */
const PROBLEMS_MAX = 100;

/** A map or list of the workflow, and a key in the map or list. */
interface Spot {
  readonly value: unknown;
  readonly key?: string;
}

/** Returns the place of a part of the workflow in the text of its document. Empty if the part is not in a document. */
export type PlaceOf = (value: unknown, key?: string) => Pick<Problem, "file" | "line" | "column">;

/** Collects the problems of a workflow, each with its place and stage. */
export class Report {
  readonly problems: Problem[] = [];
  readonly #placeOf: PlaceOf;
  #path: string;
  #stages: readonly string[] = [];
  /** The part of the workflow under check. */
  #part: unknown;

  constructor({ path, placeOf }: { readonly path: string; readonly placeOf: PlaceOf }) {
    this.#path = path;
    this.#placeOf = placeOf;
  }

  /** Records a problem of the current stage, as the end of a sentence about the stage. */
  refuse(message: string, { value, key }: Spot = { value: this.#part }): undefined {
    if (this.problems.length >= PROBLEMS_MAX) return undefined;
    const names = this.#stages.map((name) => `"${name}"`).join(" in ");
    const subject = names === "" ? "The workflow" : `Stage ${names}`;
    const end = message.endsWith("?") ? "" : ".";
    this.problems.push({
      path: this.#path,
      message: `${subject} ${message}${end}`,
      ...this.#placeOf(value, key),
    });
    return undefined;
  }

  /** Gives problems without a spot the spot of the part. */
  at<Result>(part: unknown, check: () => Result): Result {
    const before = this.#part;
    this.#part = part;
    try {
      return check();
    } finally {
      this.#part = before;
    }
  }

  within<Result>(path: string, check: () => Result): Result {
    const before = this.#path;
    this.#path = `${before}.${path}`;
    try {
      return check();
    } finally {
      this.#path = before;
    }
  }

  named<Result>(stage: string, check: () => Result): Result {
    const before = this.#stages;
    this.#stages = [stage, ...before];
    try {
      return check();
    } finally {
      this.#stages = before;
    }
  }
}
