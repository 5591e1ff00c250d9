import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { systemClock } from "#plumbing/clock";
import { adapterOf, type StoreAdapter } from "#store/database/adapter";
import { type Connection, migrate } from "#store/database/database";
import { openSqlite } from "#store/dialects/sqlite";
import type { Tables } from "#store/database/tables";
import type { WakeUps } from "#store/database/wake-ups";
import { type Guard, Session, SessionDriver } from "./session.ts";

/**
 * The store's real database, in memory, shared by all servers of a world. Transactions run one at a time.
 * Each server has a connection of its own, which ends with the server. The next world reuses the database.
 */
export class SharedDatabase {
  readonly #base: Connection;
  readonly #sqlite: DatabaseConnection;
  readonly #waiting: Session[] = [];
  #holder: Session | undefined;
  /** The database's own time. */
  now: () => number = () => 0;

  private constructor(base: Connection, sqlite: DatabaseConnection) {
    this.#base = base;
    this.#sqlite = sqlite;
  }

  static async open(): Promise<SharedDatabase> {
    const shared: { database?: SharedDatabase } = {};
    const now = () => shared.database?.now() ?? 0;
    const base = openSqlite(":memory:", "normal", { ...systemClock, now });
    await migrate(base);
    const sqlite = await new Promise<DatabaseConnection>((resolve) => {
      // Never released: all connections share the base connection.
      void base.getExecutor().provideConnection((connection) => {
        resolve(connection);
        return new Promise<void>(() => {});
      });
    });
    shared.database = new SharedDatabase(base, sqlite);
    return shared.database;
  }

  /**
   * Opens a connection. Without a guard, no fault strikes the connection: the world itself reads through such
   * a connection.
   */
  connection(guard?: Guard): Connection {
    const session = new Session(this, guard);
    const adapter = new SharedAdapter(adapterOf(this.#base), session);
    return new Kysely<Tables>({
      dialect: {
        createAdapter: () => adapter,
        createDriver: () => new SessionDriver(session),
        createIntrospector: (db) => new SqliteIntrospector(db),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
    });
  }

  /** Runs a statement now, even if another connection holds the database. For observers. */
  run<Row>(sql: string, parameters: readonly unknown[] = []): Promise<QueryResult<Row>> {
    return this.#sqlite.executeQuery<Row>(CompiledQuery.raw(sql, [...parameters]));
  }

  execute<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.#sqlite.executeQuery<Row>(query);
  }

  lock(session: Session): Promise<void> {
    return new Promise((resolve) => {
      session.granted = resolve;
      this.#waiting.push(session);
      this.handOn();
    });
  }

  unlock(session: Session): void {
    if (this.#holder === session) this.#holder = undefined;
    this.handOn();
  }

  /** Empties the database after a world whose servers have all ended. */
  async empty(): Promise<void> {
    this.#waiting.length = 0;
    this.#holder = undefined;
    const tables = await this.run<{ name: string }>(
      "select name from sqlite_schema where type = 'table' and name not in ('migrations', 'sqlite_sequence')",
    );
    await this.run("pragma foreign_keys = off");
    for (const { name } of tables.rows) await this.run(`delete from "${name}"`);
    await this.run("pragma foreign_keys = on");
  }

  isHeldBy(session: Session): boolean {
    return this.#holder === session;
  }

  /** Hands the database to the longest waiting session that is running. */
  handOn(): void {
    if (this.#holder) return;
    const at = this.#waiting.findIndex((session) => session.isRunning);
    if (at === -1) return;
    const [next] = this.#waiting.splice(at, 1);
    this.#holder = next;
    next!.granted();
  }
}

/** The dialect's own adapter, except for wake-ups: here they go from server to server, as in a shared database. */
class SharedAdapter extends SqliteAdapter implements StoreAdapter {
  readonly fixedQueries: StoreAdapter["fixedQueries"];
  readonly nowMs: StoreAdapter["nowMs"];
  readonly differences: StoreAdapter["differences"];
  readonly wakeUps: WakeUps;
  readonly load: StoreAdapter["load"];
  readonly bytes: StoreAdapter["bytes"];

  constructor(base: StoreAdapter, wakeUps: WakeUps) {
    super();
    this.fixedQueries = base.fixedQueries;
    this.nowMs = base.nowMs;
    this.differences = base.differences;
    this.wakeUps = wakeUps;
    this.load = base.load;
    this.bytes = (db) => base.bytes(db);
  }

  attempt<Result>(transaction: () => Promise<Result>): Promise<Result> {
    return transaction();
  }

  async beginMigration(): Promise<void> {}

  async numberAfter(): Promise<void> {}
}
