/** Limit on the jobs and asks of a run that are outstanding together. */
export interface OutstandingLimit {
  readonly mostOutstanding: number;
}

/** The limit of a run whose jobs are only counted, for a plan or a check. */
export const UNLIMITED: OutstandingLimit = { mostOutstanding: Number.MAX_SAFE_INTEGER };

/** Returns how many more jobs and asks a run may have outstanding. Negative if it has too many. */
export function placesLeft({ mostOutstanding }: OutstandingLimit, outstanding: number): number {
  return mostOutstanding - outstanding;
}
