import { setTimeout as delay } from "node:timers/promises";
import {
  type CompiledQuery,
  type DataTypeNode,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from "kysely";
import { Pool, type PoolConfig } from "pg";
import type { Differences, StoreAdapter } from "#store/adapter";
import type { Connection } from "#store/connection";
import { PostgresDriver } from "#store/dialects/postgres-driver";
import { leftNothing, mayBeRepeatedOnce } from "#store/dialects/postgres-errors";
import { valueReaders } from "#store/dialects/postgres-values";
import { PostgresWakeUps } from "#store/dialects/postgres-wake-ups";
import type { Tables } from "#store/tables";

export interface PostgresOptions {
  /** Told of connections that break while nobody waits for them; others are told to whoever waits. */
  readonly onTrouble?: (error: unknown, message: string) => void;
  /** No bound on how long a statement may take: for changes of the tables. */
  readonly isUnhurried?: boolean;
}

/** Several servers share the database's 100 (its default); what waits for one of ten waits some milliseconds. */
const MAX_CONNECTIONS = 10;
/** To a new connection, or to a free one. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Nothing that the store asks takes a second. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** Later than the database's own, so that it only strikes when no word comes through any more. */
const ANSWER_TIMEOUT_MS = 35_000;
/** How long the locks of a server that fell silent inside a transaction stay. */
const SILENCE_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_AFTER_MS = 10_000;

/** `postgres://user:password@host/database`. Nothing is asked of it yet. */
export function openPostgres(url: string, options: PostgresOptions = {}): Connection {
  const onTrouble = options.onTrouble ?? (() => undefined);
  const config = connectionConfig(url, options.isUnhurried ?? false);
  const wakeUps = new PostgresWakeUps(config, onTrouble);
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new Adapter(wakeUps),
      createDriver: () => new PostgresDriver(() => openPool(config, onTrouble)),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new Compiler(),
    },
  });
}

/** As PostgreSQL calls itself: `15.9`. */
export async function postgresVersion(db: Connection): Promise<string> {
  const { rows } = await sql<{ server_version: string }>`show server_version`.execute(db);
  return rows[0]?.server_version.split(" ")[0] ?? "";
}

function connectionConfig(url: string, isUnhurried: boolean): PoolConfig {
  return {
    connectionString: url,
    application_name: "reprise",
    // Whatever the database's default is: texts are sent and read in this one.
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

/** An error that nobody listens to would end the process: idle connections have a listener, and so have those in use. */
function openPool(config: PoolConfig, onTrouble: NonNullable<PostgresOptions["onTrouble"]>): Pool {
  const pool = new Pool(config);
  pool.on("error", (error) => onTrouble(error, "An idle connection to the database broke."));
  // While a connection is in use, the query that it breaks under fails as well: that is where it is told.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/** How often a transaction is tried that the database undid because another one stood in its way. */
const ATTEMPTS = 5;
const STEP_ASIDE_MS = 10;

const DIFFERENCES: Differences = {
  locksRows: true,
  columns: { rowNumber: "bigint", numbered: (column) => column.generatedByDefaultAsIdentity() },
};

/** Chosen once, for this product's migrations in any database. */
const MIGRATION_LOCK = 7_236_114_502;

class Adapter extends PostgresAdapter implements StoreAdapter {
  readonly fixedQueries = new Map<unknown, CompiledQuery>();
  readonly nowMs = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
  readonly differences = DIFFERENCES;
  readonly wakeUps: PostgresWakeUps;

  constructor(wakeUps: PostgresWakeUps) {
    super();
    this.wakeUps = wakeUps;
  }

  /**
   * Again when the database itself undid the transaction, because two waited for each other; and once more when its
   * connection broke before the commit was sent: then it was surely undone. Once the commit has been sent it may have
   * been carried out, and carrying it out twice is worse than saying that it is not known.
   */
  async attempt<Result>(transaction: () => Promise<Result>): Promise<Result> {
    for (let tried = 1; ; tried += 1) {
      try {
        return await transaction();
      } catch (error) {
        const mayTryAgain = mayBeRepeatedOnce(error) ? tried === 1 : leftNothing(error) && tried < ATTEMPTS;
        if (!mayTryAgain) throw error;
        await delay(tried * STEP_ASIDE_MS);
      }
    }
  }

  async numberAfter(db: Connection): Promise<void> {
    await sql`select setval(pg_get_serial_sequence('workflows', 'seq'), max(seq)) from workflows`.execute(db);
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
 * Every text is compared byte by byte, as SQLite does. An order by a language changes with the system's libraries, and
 * an index that was written in the old order then no longer finds what it holds.
 */
class Compiler extends PostgresQueryCompiler {
  protected override visitDataType(node: DataTypeNode): void {
    this.append(node.dataType === "text" ? 'text collate "C"' : node.dataType);
  }
}
