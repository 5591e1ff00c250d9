/** Part of a dialect's adapter: what the queries of this process have cost so far. */
export interface CountsLoad {
  readonly load: DatabaseLoad;
}

export class DatabaseLoad {
  queries = 0;
  failed = 0;
  /** Time that queries took, from their start to their result. */
  queryMs = 0;
  transactions = 0;
  /** Time that transactions took, with the wait for their turn, their queries and their commit. */
  transactionMs = 0;

  noteQuery(tookMs: number, hasFailed: boolean): void {
    this.queries += 1;
    this.queryMs += tookMs;
    if (hasFailed) this.failed += 1;
  }

  noteTransaction(tookMs: number): void {
    this.transactions += 1;
    this.transactionMs += tookMs;
  }
}
