import { sql } from "kysely";
import type { Connection } from "#store/database/database";

/** A name of runs, how many current runs have it, and the number of the last of them. */
export interface RunName {
  readonly name: string;
  readonly runs: number;
  readonly lastSeq: number;
}

/** Returns one page of the names of a user's current runs, the name with the newest run first. Reads only an index. */
export async function listRunNames(
  db: Connection,
  ownerId: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<readonly RunName[]> {
  const rows = await current(db, ownerId)
    .select(({ fn }) => [
      "name",
      fn.countAll<number | string>().as("runs"),
      fn.max<number | string>("seq").as("last_seq"),
    ])
    .groupBy("name")
    .orderBy("last_seq", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map((row) => ({ name: row.name, runs: Number(row.runs), lastSeq: Number(row.last_seq) }));
}

export async function countRunNames(db: Connection, ownerId: string): Promise<number> {
  const row = await current(db, ownerId)
    .select(sql<number | string>`count(distinct name)`.as("total"))
    .executeTakeFirstOrThrow();
  return Number(row.total);
}

/** Returns the names of a user's current runs, each once, in no order. */
export async function someRunNames(db: Connection, ownerId: string, limit: number): Promise<string[]> {
  const rows = await current(db, ownerId).select("name").distinct().limit(limit).execute();
  return rows.map(({ name }) => name);
}

function current(db: Connection, ownerId: string) {
  return db
    .selectFrom("runs")
    .where("owner_id", "=", ownerId)
    .where(sql<boolean>`status != 'deleted'`);
}
