/** An input that a run has fetched, as recorded before its first job. */
export interface FetchedInput {
  /** Path in the workspace. */
  readonly path: string;
  /** The address without a query. */
  readonly address: string;
  readonly bytes: number;
  readonly sha256: string;
  /** The entity tag or the time of the last change, as the other side stated; null if it stated neither. */
  readonly validator: string | null;
}

/** The body of the event that records the fetched inputs of a run. */
export interface FetchedInputs {
  readonly files: readonly FetchedInput[];
}
