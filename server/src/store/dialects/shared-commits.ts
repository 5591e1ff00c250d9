import type SqliteDatabase from "better-sqlite3";
import type { TransactionSettings } from "kysely";
import type { Clock } from "#plumbing/clock";
import type { EmittedWakeUps } from "#store/dialects/emitted-wake-ups";
import { isFull, type SqliteConnection } from "#store/dialects/sqlite-connection";

/** Largest number of transactions that share a commit. */
const MAX_MEMBERS = 64;
/** Time limit for admitting transactions to a group, so the event loop can serve other work. */
const MAX_GROUP_MS = 5;

export interface CommitParts {
  readonly wakeUps: EmittedWakeUps;
  readonly clock: Pick<Clock, "elapsedMs">;
  /** Called after a commit that may have changed rows, before any of its transactions is acknowledged. */
  readonly onCommit: () => void;
  /** Called when the disk was too full for a commit, after its transactions were rolled back. */
  readonly onFull: () => void;
}

/** A transaction waiting for the connection. */
interface Waiting {
  readonly isSnapshot: boolean;
  readonly admit: () => void;
  readonly refuse: (error: unknown) => void;
}

/** Transactions with a common commit. */
interface Group {
  readonly isSnapshot: boolean;
  readonly beganAtMs: number;
  /** Number of admitted transactions. */
  members: number;
  /** The transactions that have ended and wait for the commit. */
  readonly done: Pick<PromiseWithResolvers<void>, "resolve" | "reject">[];
  /** Number of writes of the connection before the group. */
  readonly writesBefore: number;
  /** Number of writes of the connection before the admitted transaction. */
  ownWritesBefore: number;
  /** Number of wake-ups before the admitted transaction. */
  wakeUpsBefore: number;
  readonly over: PromiseWithResolvers<void>;
}

/**
 * Thrown by transactions undone after the failure of another transaction in their group. A caller may repeat
 * the transaction.
 */
export class UndoneWithOthersError extends Error {
  constructor() {
    super("The transaction was undone together with another one that failed. Nothing was changed.");
    this.name = "UndoneWithOthersError";
  }
}

/**
 * Groups the transactions begun in one turn of the event loop under a shared commit, because a commit costs a
 * third of a small transaction. The transactions run in sequence, and all are acknowledged after the commit.
 * If the commit fails, all fail.
 *
 * SQLite can undo a single transaction of a group only with a savepoint, whose copies of pages cost as much
 * as the commit. If a transaction fails after a write, which is rare, the whole group is undone, and the
 * other transactions are repeated. (docs/decisions/20261123-transactions-share-a-commit.md)
 */
export class SharedCommits {
  readonly #sqlite: SqliteDatabase.Database;
  readonly #connection: SqliteConnection;
  readonly #parts: CommitParts;
  readonly #waiting: Waiting[] = [];
  #group: Group | undefined;
  #isScheduled = false;
  /** True if a group has begun in the present turn of the event loop. */
  #hasBegun = false;
  readonly #begin: SqliteDatabase.Statement;
  readonly #beginSnapshot: SqliteDatabase.Statement;
  readonly #commit: SqliteDatabase.Statement;
  readonly #rollback: SqliteDatabase.Statement;

  constructor(sqlite: SqliteDatabase.Database, connection: SqliteConnection, parts: CommitParts) {
    this.#sqlite = sqlite;
    this.#connection = connection;
    this.#parts = parts;
    // A transaction that reads first and writes later would fail if another process has written in between.
    this.#begin = sqlite.prepare("begin immediate");
    this.#beginSnapshot = sqlite.prepare("begin");
    this.#commit = sqlite.prepare("commit");
    this.#rollback = sqlite.prepare("rollback");
  }

  /** True if a group is open: its changes must not be seen yet by statements outside it. */
  get isOpen(): boolean {
    return this.#group !== undefined;
  }

  /** Resolves when no group is open. */
  async whenClosed(): Promise<void> {
    while (this.#group) await this.#group.over.promise;
  }

  /** Resolves when no transaction is under way or waits. */
  async drained(): Promise<void> {
    while (this.#group || this.#waiting.length > 0) {
      await (this.#group?.over.promise ?? new Promise((resolve) => setImmediate(resolve)));
    }
  }

  /** Resolves when the transaction has the connection to itself. A snapshot shares it with no other transaction. */
  begin({ accessMode }: TransactionSettings): Promise<void> {
    const { promise, resolve: admit, reject: refuse } = Promise.withResolvers<void>();
    this.#waiting.push({ isSnapshot: accessMode === "read only", admit, refuse });
    this.#schedule();
    return promise;
  }

  /** Ends the admitted transaction, and hands the connection on. Resolves after the commit. */
  end(): Promise<void> {
    return this.#afterCommit(this.#group!);
  }

  /**
   * Undoes the admitted transaction. A transaction without writes resolves after the commit of its
   * predecessors in the group, because it may have failed over their uncommitted changes. If the transaction
   * has written, the whole group is undone. After a disk error, SQLite has already rolled back, and the group
   * fails with the disk error.
   */
  async undo(): Promise<void> {
    const group = this.#group!;
    const isLost = !this.#sqlite.inTransaction;
    if (isLost || this.#connection.writes > group.ownWritesBefore) {
      this.#fail(group, isLost ? this.#connection.lastError : new UndoneWithOthersError());
      return;
    }
    this.#parts.wakeUps.forgetAfter(group.wakeUpsBefore);
    await this.#afterCommit(group);
  }

  #afterCommit(group: Group): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    group.done.push({ resolve, reject });
    this.#handOn(group);
    return promise;
  }

  /**
   * Begins the first group of an event loop turn at once, so a single transaction loses no time. The next
   * group begins after the turn and is shared by all transactions begun until then.
   */
  #schedule(): void {
    if (this.#isScheduled || this.#group || this.#waiting.length === 0) return;
    if (!this.#hasBegun) {
      this.#open();
      return;
    }
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#open();
    });
  }

  #open(): void {
    this.#hasBegun = true;
    setImmediate(() => (this.#hasBegun = false));
    const first = this.#waiting.shift()!;
    try {
      (first.isSnapshot ? this.#beginSnapshot : this.#begin).run();
    } catch (error) {
      first.refuse(error);
      this.#schedule();
      return;
    }
    this.#group = {
      isSnapshot: first.isSnapshot,
      beganAtMs: this.#parts.clock.elapsedMs(),
      members: 1,
      done: [],
      writesBefore: this.#connection.writes,
      ownWritesBefore: this.#connection.writes,
      wakeUpsBefore: 0,
      over: Promise.withResolvers<void>(),
    };
    first.admit();
  }

  /** Admits the next transaction to the group, or commits it. */
  #handOn(group: Group): void {
    const [next] = this.#waiting;
    if (!next || !this.#mayJoin(next, group)) {
      this.#commitAll(group);
      return;
    }
    this.#waiting.shift();
    group.members += 1;
    group.ownWritesBefore = this.#connection.writes;
    group.wakeUpsBefore = this.#parts.wakeUps.waiting;
    next.admit();
  }

  #commitAll(group: Group): void {
    try {
      this.#commit.run();
    } catch (error) {
      this.#fail(group, error);
      if (isFull(error)) this.#parts.onFull();
      return;
    }
    if (this.#connection.writes > group.writesBefore) this.#parts.onCommit();
    this.#parts.wakeUps.committed();
    this.#close(group);
    for (const one of group.done) one.resolve();
  }

  #fail(group: Group, error: unknown): void {
    if (this.#sqlite.inTransaction) this.#rollback.run();
    this.#parts.wakeUps.rolledBack();
    this.#close(group);
    for (const one of group.done) one.reject(error);
  }

  #close(group: Group): void {
    this.#group = undefined;
    group.over.resolve();
    this.#schedule();
  }

  #mayJoin(next: Waiting, group: Group): boolean {
    if (next.isSnapshot || group.isSnapshot || group.members >= MAX_MEMBERS) return false;
    return this.#parts.clock.elapsedMs() - group.beganAtMs < MAX_GROUP_MS;
  }
}
