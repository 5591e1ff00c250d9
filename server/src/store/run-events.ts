import type { Selectable } from "kysely";
import type { Connection } from "#store/database";
import { fixedQuery } from "#store/fixed-query";
import type { Tables } from "#store/tables";

/** A recorded event of a run. The rows of a run in order are its whole history, from which a replay is fed. */
export interface RunEvent {
  readonly seq: number;
  readonly kind: string;
  readonly body: unknown;
  /** Log lines that the engine issued in response, always whole lines. */
  readonly log: string;
  readonly atMs: number;
}

export async function insertRunEvent(db: Connection, workflowId: string, event: RunEvent): Promise<void> {
  const { seq, kind, log, atMs } = event;
  await insertRow(db, { workflowId, seq, kind, body: JSON.stringify(event.body), log, atMs });
}

type NewRow = Omit<RunEvent, "body"> & { readonly workflowId: string; readonly body: string };

const insertRow = fixedQuery((db, row: NewRow) =>
  db.insertInto("run_events").values({
    workflow_id: row.workflowId,
    seq: row.seq,
    kind: row.kind,
    body: row.body,
    log: row.log,
    at: row.atMs,
  }),
);

export async function runEvents(db: Connection, workflowId: string): Promise<RunEvent[]> {
  const { rows } = await allEvents(db, { workflowId });
  return rows.map(toRunEvent);
}

const allEvents = fixedQuery((db, { workflowId }: { workflowId: string }) => eventsOf(db, workflowId));

/** Returns at most `limit` events, from that number on. */
export async function runEventsFrom(
  db: Connection,
  workflowId: string,
  { seq, limit }: { readonly seq: number; readonly limit: number },
): Promise<RunEvent[]> {
  const { rows } = await eventsFrom(db, { workflowId, seq, limit });
  return rows.map(toRunEvent);
}

const eventsFrom = fixedQuery(
  (db, { workflowId, seq, limit }: { workflowId: string; seq: number; limit: number }) =>
    eventsOf(db, workflowId).where("seq", ">=", seq).limit(limit),
);

export async function oneRunEvent(db: Connection, workflowId: string, seq: number): Promise<RunEvent> {
  return toRunEvent(await eventsOf(db, workflowId).where("seq", "=", seq).executeTakeFirstOrThrow());
}

function eventsOf(db: Connection, workflowId: string) {
  return db
    .selectFrom("run_events")
    .select(["seq", "kind", "body", "log", "at"])
    .where("workflow_id", "=", workflowId)
    .orderBy("seq");
}

function toRunEvent(row: Omit<Selectable<Tables["run_events"]>, "workflow_id">): RunEvent {
  return { seq: row.seq, kind: row.kind, body: JSON.parse(row.body) as unknown, log: row.log, atMs: row.at };
}

/** Returns the number of the next event of a run. */
export async function nextRunEventSeq(db: Connection, workflowId: string): Promise<number> {
  const { rows } = await lastSeq(db, { workflowId });
  return rows[0] ? rows[0].seq + 1 : 0;
}

const lastSeq = fixedQuery((db, { workflowId }: { workflowId: string }) =>
  db
    .selectFrom("run_events")
    .select("seq")
    .where("workflow_id", "=", workflowId)
    .orderBy("seq", "desc")
    .limit(1),
);

/** Returns the complete engine log of a run. */
export async function engineLog(db: Connection, workflowId: string): Promise<string> {
  const rows = await db
    .selectFrom("run_events")
    .select("log")
    .where("workflow_id", "=", workflowId)
    .where("log", "!=", "")
    .orderBy("seq")
    .execute();
  return rows.map((row) => row.log).join("");
}

/** Returns the first event of that kind in a run. */
export async function maybeFirstEventOf(
  db: Connection,
  workflowId: string,
  kind: string,
): Promise<RunEvent | undefined> {
  const row = await db
    .selectFrom("run_events")
    .select(["seq", "kind", "body", "log", "at"])
    .where("workflow_id", "=", workflowId)
    .where("kind", "=", kind)
    .orderBy("seq")
    .limit(1)
    .executeTakeFirst();
  return row && toRunEvent(row);
}
