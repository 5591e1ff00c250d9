import { type Selectable, sql } from "kysely";
import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import { rowsQuery } from "#store/database/many-rows";
import type { Tables } from "#store/database/tables";

/** A recorded event of a run. The rows of a run in order are its whole history, from which a replay is fed. */
export interface RunEvent {
  readonly seq: number;
  readonly kind: string;
  readonly body: unknown;
  /** Log lines that the engine issued in response, always whole lines. */
  readonly log: string;
  readonly atMs: number;
}

export function insertRunEvent(db: Connection, runId: string, event: RunEvent): Promise<void> {
  return insertRunEvents(db, runId, [event]);
}

export async function insertRunEvents(
  db: Connection,
  runId: string,
  events: readonly RunEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ seq, kind, body, log, atMs }) => ({
    run_id: runId,
    seq,
    kind,
    body: JSON.stringify(body),
    log,
    at: atMs,
  }));
  await insertRows(db, rows);
}

const COLUMNS = {
  run_id: "text",
  seq: "integer",
  kind: "text",
  body: "text",
  log: "text",
  at: "bigint",
} as const;

const insertRows = rowsQuery(COLUMNS, (db, given) =>
  db
    .insertInto("run_events")
    .columns(["run_id", "seq", "kind", "body", "log", "at"])
    .expression(sql`select run_id, seq, kind, body, log, at from ${given}`),
);

export async function runEvents(db: Connection, runId: string): Promise<RunEvent[]> {
  const { rows } = await allEvents(db, { runId });
  return rows.map(toRunEvent);
}

const allEvents = fixedQuery((db, { runId }: { runId: string }) => eventsOf(db, runId));

/** Returns at most `limit` events, from that number on. */
export async function runEventsFrom(
  db: Connection,
  runId: string,
  { seq, limit }: { readonly seq: number; readonly limit: number },
): Promise<RunEvent[]> {
  const { rows } = await eventsFrom(db, { runId, seq, limit });
  return rows.map(toRunEvent);
}

const eventsFrom = fixedQuery((db, { runId, seq, limit }: { runId: string; seq: number; limit: number }) =>
  eventsOf(db, runId).where("seq", ">=", seq).limit(limit),
);

export async function oneRunEvent(db: Connection, runId: string, seq: number): Promise<RunEvent> {
  return toRunEvent(await eventsOf(db, runId).where("seq", "=", seq).executeTakeFirstOrThrow());
}

function eventsOf(db: Connection, runId: string) {
  return db
    .selectFrom("run_events")
    .select(["seq", "kind", "body", "log", "at"])
    .where("run_id", "=", runId)
    .orderBy("seq");
}

function toRunEvent(row: Omit<Selectable<Tables["run_events"]>, "run_id">): RunEvent {
  return { seq: row.seq, kind: row.kind, body: JSON.parse(row.body) as unknown, log: row.log, atMs: row.at };
}

/** Returns the number of the next event of a run. */
export async function nextRunEventSeq(db: Connection, runId: string): Promise<number> {
  const { rows } = await lastSeq(db, { runId });
  return rows[0] ? rows[0].seq + 1 : 0;
}

const lastSeq = fixedQuery((db, { runId }: { runId: string }) =>
  db.selectFrom("run_events").select("seq").where("run_id", "=", runId).orderBy("seq", "desc").limit(1),
);

/** Returns the complete engine log of a run. */
export async function engineLog(db: Connection, runId: string): Promise<string> {
  const rows = await db
    .selectFrom("run_events")
    .select("log")
    .where("run_id", "=", runId)
    .where("log", "!=", "")
    .orderBy("seq")
    .execute();
  return rows.map((row) => row.log).join("");
}

/** Returns the first event of that kind in a run. */
export async function maybeFirstEventOf(
  db: Connection,
  runId: string,
  kind: string,
): Promise<RunEvent | undefined> {
  const row = await db
    .selectFrom("run_events")
    .select(["seq", "kind", "body", "log", "at"])
    .where("run_id", "=", runId)
    .where("kind", "=", kind)
    .orderBy("seq")
    .limit(1)
    .executeTakeFirst();
  return row && toRunEvent(row);
}

interface EmptiedEvents {
  readonly from: number;
  readonly count: number;
  /** Kinds of events with bodies to keep. */
  readonly keptKinds: readonly string[];
  /** Numbers of events with bodies to keep. */
  readonly keptSeqs: readonly number[];
}

/** Rest of the body of an emptied event. */
const EMPTY = "{}";

/** Empties the bodies of `count` events of a run that has ended. Their numbers, times and log lines stay. */
export async function emptyRunEvents(
  db: Connection,
  runId: string,
  { from, count, keptKinds, keptSeqs }: EmptiedEvents,
): Promise<void> {
  const emptied = db
    .updateTable("run_events")
    .set({ body: EMPTY })
    .where("run_id", "=", runId)
    .where("seq", ">=", from)
    .where("seq", "<", from + count)
    .where("body", "!=", EMPTY)
    .where("kind", "not in", keptKinds);
  await (keptSeqs.length === 0 ? emptied : emptied.where("seq", "not in", keptSeqs)).execute();
}
