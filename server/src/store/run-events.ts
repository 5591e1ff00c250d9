import type { Connection } from "#store/database";

/** One recorded event of a run. The rows of a run in order are its whole history: what a replay is fed with. */
export interface RunEvent {
  readonly seq: number;
  readonly kind: string;
  readonly body: unknown;
  /** What the engine logged in answer, whole lines. */
  readonly log: string;
  readonly atMs: number;
}

export async function insertRunEvent(db: Connection, workflowId: string, event: RunEvent): Promise<void> {
  await db
    .insertInto("run_events")
    .values({
      workflow_id: workflowId,
      seq: event.seq,
      kind: event.kind,
      body: JSON.stringify(event.body),
      log: event.log,
      at: event.atMs,
    })
    .execute();
}

export async function runEvents(db: Connection, workflowId: string): Promise<RunEvent[]> {
  const rows = await db
    .selectFrom("run_events")
    .select(["seq", "kind", "body", "log", "at"])
    .where("workflow_id", "=", workflowId)
    .orderBy("seq")
    .execute();
  return rows.map((row) => ({
    seq: row.seq,
    kind: row.kind,
    body: JSON.parse(row.body) as unknown,
    log: row.log,
    atMs: row.at,
  }));
}

/** The number of the event that a run records next. */
export async function nextRunEventSeq(db: Connection, workflowId: string): Promise<number> {
  const row = await db
    .selectFrom("run_events")
    .select("seq")
    .where("workflow_id", "=", workflowId)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return row ? row.seq + 1 : 0;
}

/** The engine's log of a run, whole. */
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
