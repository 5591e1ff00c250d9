import { END_REASONS, type EndReason } from "#workflow/job/job";

/** Counts the jobs that have ended since this server started. */
export class EndedJobs {
  readonly #counts = new Map<
    string,
    { readonly backend: string; readonly reason: EndReason; total: number }
  >();

  /** A reason that has not occurred counts as 0, so that the first occurrence is seen as an increase. */
  constructor(backends: readonly string[]) {
    for (const backend of backends) for (const reason of END_REASONS) this.#add(backend, reason, 0);
  }

  note(backend: string, reason: EndReason): void {
    this.#add(backend, reason, 1);
  }

  counts(): readonly { readonly backend: string; readonly reason: EndReason; readonly total: number }[] {
    return [...this.#counts.values()];
  }

  #add(backend: string, reason: EndReason, count: number): void {
    const key = `${backend} ${reason}`;
    const known = this.#counts.get(key) ?? { backend, reason, total: 0 };
    this.#counts.set(key, known);
    known.total += count;
  }
}
