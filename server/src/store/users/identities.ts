import { locked } from "#store/database/adapter";
import type { Connection } from "#store/database/database";
import type { IdentitiesTable } from "#store/database/identity-tables";

/** A person at a provider of sign-in. The issuer and the subject together never change and never name another person. */
export interface Person {
  readonly issuer: string;
  readonly subject: string;
}

export interface Identity extends Person {
  readonly userId: string;
  readonly provider: string;
  /** The verified address at the last sign-in. */
  readonly email: string | null;
  /** True if a claim made the user an administrator. */
  readonly madeAdmin: boolean;
  /** Null before the first sign-in. */
  readonly signedInAtMs: number | null;
  /** Set while the person asks to open an account that existed before: the person cannot sign in yet. */
  readonly askedAtMs: number | null;
}

/** A person whom the provider is asked about again, with the encrypted refresh token. */
export interface CheckedPerson extends Person {
  readonly userId: string;
  readonly sealed: string;
  readonly checkedAtMs: number;
}

/** Keeps the refresh token of a person, encrypted. Null: the provider is not asked again. */
export async function keepRefreshToken(
  db: Connection,
  { issuer, subject }: Person,
  { sealed, atMs }: { readonly sealed: string | null; readonly atMs: number },
): Promise<void> {
  await db
    .updateTable("identities")
    .set({ sealed, checked_at: atMs })
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .execute();
}

interface DuePeople {
  readonly provider: string;
  /** People who were checked at this time or before are due. */
  readonly checkedUntilMs: number;
  /** People who were checked after this time are due as well: the clock was set back. */
  readonly nowMs: number;
  readonly most: number;
}

/** Returns people of a provider who are due, the longest unchecked first. */
export async function duePeople(
  db: Connection,
  { provider, checkedUntilMs, nowMs, most }: DuePeople,
): Promise<readonly CheckedPerson[]> {
  const rows = await db
    .selectFrom("identities")
    .select(["issuer", "subject", "user_id", "sealed", "checked_at"])
    .where("provider", "=", provider)
    .where("sealed", "is not", null)
    .where((is) => is.or([is("checked_at", "<=", checkedUntilMs), is("checked_at", ">", nowMs)]))
    .orderBy("checked_at")
    .limit(most)
    .execute();
  return rows.map((row) => ({
    issuer: row.issuer,
    subject: row.subject,
    userId: row.user_id,
    sealed: row.sealed!,
    checkedAtMs: row.checked_at!,
  }));
}

/** Claims the check of a person against other servers. Returns false if another server has claimed it. */
export async function claimCheck(
  db: Connection,
  { issuer, subject, checkedAtMs }: CheckedPerson,
  nowMs: number,
): Promise<boolean> {
  const result = await db
    .updateTable("identities")
    .set({ checked_at: nowMs })
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .where("checked_at", "=", checkedAtMs)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/**
 * Returns the identity of a person. Must run inside a transaction: the row is locked, so a removal of the identity waits
 * until the sign-in is committed, and then ends its session too.
 */
export async function maybeLockedIdentity(db: Connection, person: Person): Promise<Identity | undefined> {
  const query = db
    .selectFrom("identities")
    .selectAll()
    .where("issuer", "=", person.issuer)
    .where("subject", "=", person.subject);
  const row = await locked(db, query).executeTakeFirst();
  return row && toIdentity(row);
}

function toIdentity(row: IdentitiesTable): Identity {
  return {
    issuer: row.issuer,
    subject: row.subject,
    userId: row.user_id,
    provider: row.provider,
    email: row.email,
    madeAdmin: row.made_admin === 1,
    signedInAtMs: row.signed_in_at,
    askedAtMs: row.asked_at,
  };
}

/**
 * Returns the identities of a user. Must run inside a transaction: the rows are locked, so two requests cannot each
 * remove what the other one leaves.
 */
export async function lockedIdentities(db: Connection, userId: string): Promise<readonly Identity[]> {
  const query = db.selectFrom("identities").selectAll().where("user_id", "=", userId);
  return (await locked(db, query).execute()).map(toIdentity);
}

export async function deleteIdentity(db: Connection, { issuer, subject }: Person): Promise<void> {
  await db.deleteFrom("identities").where("issuer", "=", issuer).where("subject", "=", subject).execute();
}

/** Returns false if the person has an account already. */
export async function insertIdentity(
  db: Connection,
  identity: Identity,
  linkedAtMs: number,
): Promise<boolean> {
  const result = await db
    .insertInto("identities")
    .values({
      issuer: identity.issuer,
      subject: identity.subject,
      user_id: identity.userId,
      provider: identity.provider,
      email: identity.email,
      made_admin: identity.madeAdmin ? 1 : 0,
      linked_at: linkedAtMs,
      signed_in_at: identity.signedInAtMs,
      asked_at: identity.askedAtMs,
      sealed: null,
      checked_at: null,
    })
    .onConflict((conflict) => conflict.columns(["issuer", "subject"]).doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** Records a sign-in: what the provider says now. */
export async function updateIdentity(db: Connection, identity: Identity): Promise<void> {
  await db
    .updateTable("identities")
    .set({
      provider: identity.provider,
      email: identity.email,
      made_admin: identity.madeAdmin ? 1 : 0,
      signed_in_at: identity.signedInAtMs,
      asked_at: identity.askedAtMs,
    })
    .where("issuer", "=", identity.issuer)
    .where("subject", "=", identity.subject)
    .execute();
}

/** Returns the names of the providers by which a user can sign in. */
export async function providersOfUser(db: Connection, userId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("identities")
    .select("provider")
    .distinct()
    .where("user_id", "=", userId)
    .where("asked_at", "is", null)
    .orderBy("provider")
    .execute();
  return rows.map(({ provider }) => provider);
}

/** Returns the provider that asks to open the account of a user, by the id of the user. The oldest request counts. */
export async function askingProviders(db: Connection): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom("identities")
    .select(["user_id", "provider"])
    .where("asked_at", "is not", null)
    .orderBy("asked_at", "desc")
    .execute();
  return new Map(rows.map((row) => [row.user_id, row.provider]));
}
