/** Part of a dialect's adapter: counts the cost of this process's queries. */
export interface CountsLoad {
  readonly load: DatabaseLoad;
}

export class DatabaseLoad {
  queries = 0;
  failed = 0;
  /** Total time of queries from start to result. */
  queryMs = 0;
  transactions = 0;
  /** Total time of transactions, including the wait for a turn, the queries and the commit. */
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
