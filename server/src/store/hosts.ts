import { type RawBuilder, sql } from "kysely";
import type { Connection } from "#store/database";
import { databaseTime } from "#store/database-time";

/**
 * A host is a data folder on some machine with the server that works on it: where the processes of its jobs are. It
 * shows that it is there by renewing its row; the database's own clock says when, so that the clocks of two machines
 * are never compared.
 */
export interface Host {
  readonly id: string;
  /** What a person calls the machine. */
  readonly name: string;
  readonly seenAtMs: number;
}

/** How long a host may be silent before others take over what it holds. */
export const LEASE_MS = 30_000;

/** The host is there (again). Whatever was said of it while it was away no longer holds. */
export async function registerHost(db: Connection, host: Pick<Host, "id" | "name">): Promise<void> {
  const now = databaseTime(db);
  await db
    .insertInto("hosts")
    .values({ id: host.id, name: host.name, seen_at: now })
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet({ name: host.name, seen_at: now, declared_lost_at: null }),
    )
    .execute();
}

/** Answers false when the host has been declared lost meanwhile: what it held may be another's by now. */
export async function renewHost(db: Connection, id: string): Promise<boolean> {
  const result = await db
    .updateTable("hosts")
    .set({ seen_at: databaseTime(db) })
    .where("id", "=", id)
    .where("declared_lost_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** The host goes away by itself: others need not wait for its silence. */
export async function signOffHost(db: Connection, id: string): Promise<void> {
  await db.updateTable("hosts").set({ seen_at: 0 }).where("id", "=", id).execute();
}

/** Nothing of the host is left, says a person who knows: its jobs count as lost, and its runs go on elsewhere. */
export async function declareHostLost(db: Connection, id: string): Promise<boolean> {
  const result = await db
    .updateTable("hosts")
    .set({ declared_lost_at: databaseTime(db) })
    .where("id", "=", id)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** The host, if it has been silent for longer than others wait. */
export async function maybeSilentHost(db: Connection, id: string | null): Promise<Host | undefined> {
  if (id === null) return undefined;
  const row = await db
    .selectFrom("hosts")
    .select(["id", "name", "seen_at"])
    .where("id", "=", id)
    .where(sql<boolean>`not ${isPresent(db)}`)
    .executeTakeFirst();
  return row && { id: row.id, name: row.name, seenAtMs: row.seen_at };
}

/** Within a query: hosts that were seen lately and are not known to be lost. */
export function isPresent(db: Connection): RawBuilder<boolean> {
  return sql<boolean>`(hosts.declared_lost_at is null and hosts.seen_at > ${databaseTime(db)} - ${sql.lit(LEASE_MS)})`;
}
