import type { Connection } from "#store/database";

type Outputs = Readonly<Record<string, unknown>>;

/** Stores the outputs of a finished run, in the shape of its language. */
export async function insertRunOutputs(db: Connection, workflowId: string, outputs: Outputs): Promise<void> {
  await db
    .insertInto("run_outputs")
    .values({ workflow_id: workflowId, outputs: JSON.stringify(outputs) })
    .execute();
}

export async function maybeRunOutputs(db: Connection, workflowId: string): Promise<Outputs | undefined> {
  const row = await db
    .selectFrom("run_outputs")
    .select("outputs")
    .where("workflow_id", "=", workflowId)
    .executeTakeFirst();
  return row && (JSON.parse(row.outputs) as Outputs);
}
