import type { Connection } from "#store/database/database";

type Outputs = Readonly<Record<string, unknown>>;

/** Stores the outputs of a finished run, in the shape of its language. */
export async function insertRunOutputs(db: Connection, runId: string, outputs: Outputs): Promise<void> {
  await db
    .insertInto("run_outputs")
    .values({ run_id: runId, outputs: JSON.stringify(outputs) })
    .execute();
}

export async function maybeRunOutputs(db: Connection, runId: string): Promise<Outputs | undefined> {
  const row = await db
    .selectFrom("run_outputs")
    .select("outputs")
    .where("run_id", "=", runId)
    .executeTakeFirst();
  return row && (JSON.parse(row.outputs) as Outputs);
}
