import { setTimeout as delay } from "node:timers/promises";
import {
  type DataTypeNode,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from "kysely";
import { Pool, type PoolConfig } from "pg";
import type { Differences, StoreAdapter } from "#store/database/adapter";
import type { Connection } from "#store/database/connection";
import type { CompiledOnce } from "#store/database/fixed-query";
import { pipelineTransactions } from "#store/database/kysely-hooks";
import { DatabaseLoad } from "#store/database/load";
import { PostgresDriver } from "#store/dialects/postgres-driver";
import { isTransactionConflict, mayBeRepeatedOnce } from "#store/dialects/postgres-errors";
import { valueReaders, writeText } from "#store/dialects/postgres-values";
import { PostgresWakeUps } from "#store/dialects/postgres-wake-ups";
import type { Tables } from "#store/database/tables";
import { LEASE_MS } from "#store/hosts/hosts";

export interface PostgresOptions {
  /** Called for connections broken while idle. Errors of a connection in use go to its caller. */
  readonly onTrouble?: (error: unknown, message: string) => void;
  /** Removes the time limit of statements: for migrations. */
  readonly isUnhurried?: boolean;
}

/**
 * Size of the pool. Several servers share the database's 100 connections (its default). Waiting for one of ten takes
 * milliseconds.
 */
const MAX_CONNECTIONS = 10;
/** Limit for opening a connection, or for getting a free one from the pool. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Limit for one statement. No statement of the store takes a second. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** Longer than the database's own limit: applies only if the database does not respond at all. */
const ANSWER_TIMEOUT_MS = 35_000;
/**
 * Time after which the database ends the transaction of a silent server and frees its locks: the lease of a host. Other
 * hosts cannot take a run whose row is locked.
 */
const SILENCE_TIMEOUT_MS = LEASE_MS;
const KEEP_ALIVE_AFTER_MS = 10_000;

/** Opens `postgres://user:password@host/database`. Does not connect yet. */
export function openPostgres(url: string, options: PostgresOptions = {}): Connection {
  const onTrouble = options.onTrouble ?? (() => undefined);
  const config = connectionConfig(url, options.isUnhurried ?? false);
  const wakeUps = new PostgresWakeUps(config, onTrouble);
  const load = new DatabaseLoad();
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new Adapter(wakeUps, load),
      createDriver: () => new PostgresDriver(() => openPool(config, onTrouble)),
      createIntrospector: (on) => new PostgresIntrospector(on),
      createQueryCompiler: () => new Compiler(),
    },
    log: ({ level, queryDurationMillis }) => load.noteQuery(queryDurationMillis, level === "error"),
  });
  pipelineTransactions(db);
  return db;
}

/** Returns PostgreSQL's own version number, such as `15.9`. */
export async function postgresVersion(db: Connection): Promise<string> {
  const { rows } = await sql<{ server_version: string }>`show server_version`.execute(db);
  return rows[0]?.server_version.split(" ")[0] ?? "";
}

/** Returns the size on disk of the whole database, its indexes included. */
export async function postgresBytes(db: Connection): Promise<number> {
  const size = sql<{ bytes: string }>`select pg_database_size(current_database()) as bytes`;
  return Number((await size.execute(db)).rows[0]!.bytes);
}

function connectionConfig(url: string, isUnhurried: boolean): PoolConfig {
  return {
    connectionString: url,
    application_name: "reprise",
    // Texts are sent and read as UTF-8, even if the database has another default.
    options: "-c client_encoding=UTF8",
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: SILENCE_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    types: valueReaders,
    ...(!isUnhurried && { statement_timeout: STATEMENT_TIMEOUT_MS, query_timeout: ANSWER_TIMEOUT_MS }),
  };
}

/**
 * Opens the pool with error listeners for idle and busy connections: an error without a listener would end the process.
 */
function openPool(config: PoolConfig, onTrouble: NonNullable<PostgresOptions["onTrouble"]>): Pool {
  const pool = new Pool({ ...config, pipeline: true });
  pool.on("error", (error) => onTrouble(error, "An idle connection to the database broke."));
  // If a connection breaks during a query, the query fails as well and reports the error.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/** Number of attempts for a transaction if the database undid it because of a conflict with another. */
const ATTEMPTS = 5;
const STEP_ASIDE_MS = 10;

const DIFFERENCES: Differences = {
  locksRows: true,
  columns: { rowNumber: "bigint", numbered: (column) => column.generatedByDefaultAsIdentity() },
  greatest: "greatest",
  givenRow: (columns, values) => {
    const given = values as Readonly<Record<string, unknown>>;
    const selected = Object.entries(columns).map(
      ([name, type]) => sql`${given[name]}::${sql.raw(type)} as ${sql.ref(name)}`,
    );
    return sql`(select ${sql.join(selected)}) as given`;
  },
  givenRows: (columns, rows) => {
    const typed = Object.entries(columns).map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`);
    return sql`json_to_recordset(${rows}::json) as given (${sql.join(typed)})`;
  },
  storedText: writeText,
};

/** Advisory lock number for this product's migrations, equal in every database. */
const MIGRATION_LOCK = 7_236_114_502;

class Adapter extends PostgresAdapter implements StoreAdapter {
  readonly fixedQueries = new Map<unknown, CompiledOnce>();
  readonly nowMs = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
  readonly differences = DIFFERENCES;
  readonly wakeUps: PostgresWakeUps;
  readonly load: DatabaseLoad;
  readonly bytes = postgresBytes;

  constructor(wakeUps: PostgresWakeUps, load: DatabaseLoad) {
    super();
    this.load = load;
    this.wakeUps = wakeUps;
  }

  /**
   * Repeats a transaction that the database undid because of a deadlock. Repeats it once if its connection broke before
   * the commit was sent: then it was surely undone. After the commit was sent, the transaction may have been carried
   * out, and carrying it out twice is worse than reporting an unknown outcome.
   */
  async attempt<Result>(transaction: () => Promise<Result>): Promise<Result> {
    for (let tried = 1; ; tried += 1) {
      try {
        return await transaction();
      } catch (error) {
        const mayTryAgain = mayBeRepeatedOnce(error)
          ? tried === 1
          : isTransactionConflict(error) && tried < ATTEMPTS;
        if (!mayTryAgain) throw error;
        await delay(tried * STEP_ASIDE_MS);
      }
    }
  }

  async numberAfter(db: Connection): Promise<void> {
    await sql`select setval(pg_get_serial_sequence('runs', 'seq'), max(seq)) from runs`.execute(db);
  }

  async beginMigration(db: Connection): Promise<void> {
    await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(db);
    const { rows } = await sql<{ server_encoding: string }>`show server_encoding`.execute(db);
    const encoding = rows[0]?.server_encoding;
    if (encoding === "UTF8") return;
    throw new Error(
      `The database keeps its texts in ${encoding}, which cannot hold them all. Make another one: ` +
        "CREATE DATABASE reprise ENCODING 'UTF8' TEMPLATE template0.",
    );
  }
}

/**
 * Compares every text byte by byte, as SQLite does. A language's sort order changes with the system's libraries, and an
 * index that was written in the old order would then miss rows.
 */
class Compiler extends PostgresQueryCompiler {
  protected override visitDataType(node: DataTypeNode): void {
    this.append(node.dataType === "text" ? 'text collate "C"' : node.dataType);
  }
}
