import type { ReanaImportReport } from "#workflow/reports";

const EXAMPLES_MAX = 5;

/** Counts while an import runs. */
export class ImportCounts {
  readonly users = { taken: 0, known: 0 };
  readonly tokens = { taken: 0, known: 0 };
  readonly secrets = { taken: 0, known: 0 };
  readonly runs = { taken: 0, known: 0 };
  readonly workspaces = { copied: 0, files: 0, bytes: 0 };
  jobs = 0;
  /** Workflows that were read from the database. */
  read = 0;
  readonly #leftOut = new Map<string, { count: number; examples: string[] }>();

  leaveOut(what: string, reason: string): void {
    const group = this.#leftOut.get(reason) ?? { count: 0, examples: [] };
    group.count += 1;
    if (group.examples.length < EXAMPLES_MAX) group.examples.push(what);
    this.#leftOut.set(reason, group);
  }

  report(revision: string | undefined, projects: ReanaImportReport["projects"]): ReanaImportReport {
    const { users, tokens, secrets, runs, read, jobs, workspaces } = this;
    const leftOut = Array.from(this.#leftOut, ([reason, group]) => ({ reason, ...group }));
    return { revision, users, tokens, secrets, runs, read, jobs, workspaces, projects, leftOut };
  }
}
