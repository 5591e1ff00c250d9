import { type Kysely, sql } from "kysely";
import type { ColumnDifferences } from "#store/migrations/columns";
import { key, notNull, of, zero } from "#store/migrations/columns";

export async function createUsers(db: Kysely<unknown>) {
  await db.schema
    .createTable("users")
    .addColumn("id", "text", key)
    .addColumn("email", "text", notNull)
    .addColumn("email_key", "text", (column) => column.notNull().unique())
    .addColumn("is_admin", "integer", zero)
    .addColumn("disabled_at", "bigint")
    .addColumn("asked_at", "bigint")
    .addColumn("unlinked_at", "bigint")
    .addColumn("unshadowed_at", "bigint")
    .addColumn("created_at", "bigint", notNull)
    .addColumn("deleted_at", "bigint")
    .addColumn("removes_runs", "integer", zero)
    .execute();
  await db.schema
    .createTable("tokens")
    .addColumn("id", "text", key)
    .addColumn("user_id", "text", of("users.id"))
    .addColumn("hash", "text", (column) => column.notNull().unique())
    .addColumn("kind", "text", notNull)
    .addColumn("name", "text")
    .addColumn("sealed", "text")
    .addColumn("scope", "text", notNull)
    .addColumn("created_at", "bigint", notNull)
    .addColumn("expires_at", "bigint")
    .addColumn("issues_until", "bigint")
    .addColumn("page_key_hash", "text")
    .addColumn("issuer", "text")
    .addColumn("subject", "text")
    .addColumn("provider_session", "text")
    .addColumn("revoked_at", "bigint")
    .execute();
  await db.schema
    .createIndex("tokens_of_user")
    .on("tokens")
    .columns(["user_id", "created_at", "id"])
    .execute();
  await db.schema
    .createIndex("tokens_of_person")
    .on("tokens")
    .columns(["issuer", "subject"])
    .where(sql<boolean>`issuer is not null`)
    .execute();
}

/** Creates the table of people at providers of sign-in, and the accounts of these people. */
export async function createIdentities(db: Kysely<unknown>) {
  await db.schema
    .createTable("identities")
    .addColumn("issuer", "text", notNull)
    .addColumn("subject", "text", notNull)
    .addColumn("user_id", "text", of("users.id"))
    .addColumn("provider", "text", notNull)
    .addColumn("email", "text")
    .addColumn("made_admin", "integer", zero)
    .addColumn("linked_at", "bigint", notNull)
    .addColumn("asked_at", "bigint")
    .addColumn("signed_in_at", "bigint")
    .addColumn("sealed", "text")
    .addColumn("checked_at", "bigint")
    .addPrimaryKeyConstraint("identities_key", ["issuer", "subject"])
    .execute();
  await db.schema.createIndex("identities_of_user").on("identities").column("user_id").execute();
}

/** Creates the table of users' secrets for jobs. */
export async function createSecrets(db: Kysely<unknown>) {
  await db.schema
    .createTable("secrets")
    .addColumn("id", "text", key)
    .addColumn("user_id", "text", of("users.id"))
    .addColumn("name", "text", notNull)
    .addColumn("type", "text", notNull)
    .addColumn("sealed", "text", notNull)
    .addColumn("created_at", "bigint", notNull)
    .addColumn("removed_at", "bigint")
    .execute();
  await db.schema
    .createIndex("secrets_current")
    .unique()
    .on("secrets")
    .columns(["user_id", "name"])
    .where(sql<boolean>`removed_at is null`)
    .execute();
  await db.schema.createIndex("secrets_of_user").on("secrets").column("user_id").execute();
}

export async function createGroups(db: Kysely<unknown>) {
  await db.schema
    .createTable("groups")
    .addColumn("id", "text", key)
    .addColumn("name", "text", (column) => column.notNull().unique())
    .addColumn("owner_id", "text", of("users.id"))
    .addColumn("created_at", "bigint", notNull)
    .execute();
  await db.schema
    .createTable("group_members")
    .addColumn("user_id", "text", of("users.id"))
    .addColumn("group_id", "text", of("groups.id"))
    .addColumn("role", "text", notNull)
    .addColumn("added_at", "bigint", notNull)
    .addPrimaryKeyConstraint("group_members_key", ["user_id", "group_id"])
    .execute();
  await db.schema.createIndex("members_of_group").on("group_members").column("group_id").execute();
}

/** Creates the table of shares. The key lists the runs shared with a user or group in order. */
export async function createShares(db: Kysely<unknown>, { rowNumber }: ColumnDifferences) {
  await db.schema
    .createTable("run_shares")
    .addColumn("grantee_id", "text", notNull)
    .addColumn("run_seq", rowNumber, of("runs.seq"))
    .addColumn("owner_id", "text", of("users.id"))
    .addColumn("message", "text")
    .addColumn("shared_at", "bigint", notNull)
    .addColumn("is_hidden", "integer", zero)
    .addColumn("expires_at", "bigint")
    .addPrimaryKeyConstraint("run_shares_key", ["grantee_id", "run_seq"])
    .execute();
  // The shares of a user are listed and counted here, without the rows.
  await db.schema
    .createIndex("shares_of_grantee")
    .on("run_shares")
    .columns(["grantee_id", "run_seq", "owner_id", "is_hidden", "expires_at"])
    .execute();
  // A user without groups has them counted here.
  await db.schema
    .createIndex("shares_shown")
    .on("run_shares")
    .columns(["grantee_id", "expires_at"])
    .where(sql<boolean>`is_hidden = 0`)
    .execute();
  await db.schema.createIndex("shares_of_run").on("run_shares").column("run_seq").execute();
  // An owner's lists name the readers of each run on a page.
  await db.schema.createIndex("shares_of_owner").on("run_shares").columns(["owner_id", "run_seq"]).execute();
}

/** Creates the table of policies. The group is empty for everybody. */
export async function createPolicies(db: Kysely<unknown>) {
  await db.schema
    .createTable("policies")
    .addColumn("group_id", "text", key)
    .addColumn("images", "text")
    .addColumn("cpu_limit_ms", "bigint")
    .addColumn("disk_limit_bytes", "bigint")
    .addColumn("wall_limit_ms", "bigint")
    .addColumn("max_runs", "integer")
    .addColumn("changed_at", "bigint", notNull)
    .execute();
}

/** Creates the table of what the administrator says to all users. */
export async function createAnnouncements(db: Kysely<unknown>) {
  await db.schema
    .createTable("announcements")
    .addColumn("id", "text", key)
    .addColumn("body", "text", notNull)
    .addColumn("said_at", "bigint", notNull)
    .execute();
}
