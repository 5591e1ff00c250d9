import { sql } from "kysely";
import { locked } from "#store/database/adapter";
import { type Connection, transaction } from "#store/database/database";
import { type Host, isPresent, type NewHost, registerHost } from "#store/hosts/hosts";

/** A host that has the files of a database's runs in another folder. */
export interface DatabaseHolder extends Host {
  /** True if its server is running, or was a few seconds ago. */
  readonly isPresent: boolean;
  readonly sharedId: string | null;
}

/** A host that wants to use the database, and its shared folder. */
type Claimant = Pick<NewHost, "id" | "sharedId">;

/**
 * Registers the host, unless a host with the files in another folder holds the database. Returns that host. If two
 * hosts try at once, the second one sees the first.
 */
export async function claimDatabase(db: Connection, host: NewHost): Promise<DatabaseHolder | undefined> {
  return transaction(db, async (connection) => {
    await lockClaims(connection);
    const holder = await maybeOtherHolder(connection, host);
    if (!holder) await registerHost(connection, host);
    return holder;
  });
}

/**
 * Returns a host that used the database with the files in another folder, unless it was declared lost. Hosts of one
 * shared folder use the database together. A restore declares all hosts of the original lost.
 */
export async function maybeOtherHolder(db: Connection, host: Claimant): Promise<DatabaseHolder | undefined> {
  const row = await db
    .selectFrom("hosts")
    .select((from) => [
      "id",
      "name",
      "seen_at",
      "shared_id",
      from.case().when(isPresent(db)).then(1).else(0).end().as("is_present"),
    ])
    .where(hasOtherFiles(host))
    .where("declared_lost_at", "is", null)
    .orderBy("seen_at", "desc")
    .limit(1)
    .executeTakeFirst();
  if (!row) return undefined;
  const { id, name, shared_id: sharedId } = row;
  return { id, name, sharedId, seenAtMs: row.seen_at, isPresent: row.is_present === 1 };
}

/** True for hosts with other files. A host may begin to share the files that it had alone, but never the reverse. */
function hasOtherFiles({ id, sharedId = null }: Claimant) {
  if (sharedId === null) return sql<boolean>`(hosts.id <> ${id} or hosts.shared_id is not null)`;
  return sql<boolean>`(hosts.shared_id <> ${sharedId} or (hosts.shared_id is null and hosts.id <> ${id}))`;
}

/** The rows of the database about shared folders. */
export interface KnownFolders {
  /** The shared folders of all hosts, whether they are lost or not. */
  readonly sharedIds: readonly string[];
  /** True if a host that is not lost has the files of runs in its own data folder. */
  readonly hasOwnFiles: boolean;
}

export async function knownFolders(db: Connection): Promise<KnownFolders> {
  const rows = await db.selectFrom("hosts").select(["shared_id", "declared_lost_at"]).distinct().execute();
  return {
    sharedIds: rows.flatMap(({ shared_id: id }) => (id === null ? [] : [id])),
    hasOwnFiles: rows.some((row) => row.shared_id === null && row.declared_lost_at === null),
  };
}

/** Serializes claims: each locks the row of the first migration, present in every database. */
async function lockClaims(db: Connection): Promise<void> {
  await locked(db, db.selectFrom("migrations").select("name").orderBy("name").limit(1)).execute();
}
