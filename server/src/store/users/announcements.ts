import type { Connection } from "#store/database/database";

/** Id of the only row: at most one announcement exists at a time. */
const ID = "current";

export async function maybeAnnouncement(db: Connection): Promise<string | undefined> {
  const row = await db.selectFrom("announcements").select("body").where("id", "=", ID).executeTakeFirst();
  return row?.body;
}

export async function putAnnouncement(db: Connection, body: string, saidAtMs: number): Promise<void> {
  const columns = { body, said_at: saidAtMs };
  await db
    .insertInto("announcements")
    .values({ id: ID, ...columns })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(columns))
    .execute();
}

export async function deleteAnnouncement(db: Connection): Promise<void> {
  await db.deleteFrom("announcements").where("id", "=", ID).execute();
}
