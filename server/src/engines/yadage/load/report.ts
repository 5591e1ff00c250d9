import type { Problem } from "#engines/problem";

/** Limit on the problems of one workflow. */
const PROBLEMS_MAX = 100;

/** A map or list of the workflow, and one of its keys. */
interface Spot {
  readonly value: unknown;
  readonly key?: string;
}

/** Returns the place of a part of the workflow in the text of its document. Empty if no document holds it. */
export type PlaceOf = (value: unknown, key?: string) => Pick<Problem, "file" | "line" | "column">;

/** Collects the problems of a workflow, each with the place and the stage that it is found in. */
export class Report {
  readonly problems: Problem[] = [];
  readonly #placeOf: PlaceOf;
  #path: string;
  #stages: readonly string[] = [];
  /** The part of the workflow that is being checked. */
  #part: unknown;

  constructor({ path, placeOf }: { readonly path: string; readonly placeOf: PlaceOf }) {
    this.#path = path;
    this.#placeOf = placeOf;
  }

  /** Notes a problem of the present stage: the end of a sentence that starts with it. */
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

  /** Places problems that name no spot of their own at this part. */
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
