import { locked } from "#store/database/adapter";
import { type Connection, transaction } from "#store/database/database";
import { type Host, isPresent, registerHost } from "#store/hosts/hosts";

/** The host whose data folder has the files of a database's runs. */
export interface DatabaseHolder extends Host {
  /** True if its server is running, or was a few seconds ago. */
  readonly isPresent: boolean;
}

/**
 * Registers the host, unless another host holds the database. Returns that host. If two hosts try at once,
 * one succeeds.
 */
export async function claimDatabase(
  db: Connection,
  host: Pick<Host, "id" | "name">,
): Promise<DatabaseHolder | undefined> {
  return transaction(db, async (connection) => {
    await lockClaims(connection);
    const holder = await maybeOtherHolder(connection, host.id);
    if (!holder) await registerHost(connection, host);
    return holder;
  });
}

/**
 * Returns another host that used the database, unless it was declared lost. A restore declares all hosts of the
 * original lost.
 */
export async function maybeOtherHolder(db: Connection, hostId: string): Promise<DatabaseHolder | undefined> {
  const row = await db
    .selectFrom("hosts")
    .select((from) => [
      "id",
      "name",
      "seen_at",
      from.case().when(isPresent(db)).then(1).else(0).end().as("is_present"),
    ])
    .where("id", "<>", hostId)
    .where("declared_lost_at", "is", null)
    .orderBy("seen_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return row && { id: row.id, name: row.name, seenAtMs: row.seen_at, isPresent: row.is_present === 1 };
}

/** Serializes claims: each locks the row of the first migration, present in every database. */
async function lockClaims(db: Connection): Promise<void> {
  await locked(db, db.selectFrom("migrations").select("name").orderBy("name").limit(1)).execute();
}
