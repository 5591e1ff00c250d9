import type { Problem } from "#engines/problem";

/** Limit on the problems of one workflow. */
const PROBLEMS_MAX = 100;

/** Collects the problems of a workflow, each with the place and the stage that it is found in. */
export class Report {
  readonly problems: Problem[] = [];
  readonly #file: string | undefined;
  #path: string;
  #stages: readonly string[] = [];

  constructor({ path, file }: { readonly path: string; readonly file: string | undefined }) {
    this.#path = path;
    this.#file = file;
  }

  /** Notes a problem of the present stage: the end of a sentence that starts with it. */
  refuse(message: string): undefined {
    if (this.problems.length >= PROBLEMS_MAX) return undefined;
    const names = this.#stages.map((name) => `"${name}"`).join(" in ");
    const subject = names === "" ? "The workflow" : `Stage ${names}`;
    const file = this.#file === undefined ? {} : { file: this.#file };
    this.problems.push({ path: this.#path, message: `${subject} ${message}.`, ...file });
    return undefined;
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
