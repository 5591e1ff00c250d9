import { END_REASONS, type EndReason } from "#workflow/job/job";

/** Counts the ended jobs since the start of this server. */
export class JobEndCounts {
  readonly #counts = new Map<
    string,
    { readonly backend: string; readonly reason: EndReason; total: number }
  >();

  /** Reasons without an occurrence count as 0, so monitoring sees the first occurrence as an increase. */
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
