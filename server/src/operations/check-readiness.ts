import type { Operations } from "#operations/context";
import { shortageSentence } from "#operations/disk-shortage";
import { messageOf, Refusal } from "#plumbing/errors";
import { checkConnection } from "#store/database";
import { DatabaseAwayError } from "#store/database-away";

/** Refuses when the disk is full or the database does not answer. Paths and addresses stay private: anyone may ask. */
export async function checkReadiness(context: Pick<Operations, "db" | "disk">): Promise<void> {
  context.disk.look();
  const shortage = context.disk.shortage();
  if (shortage?.isFull) throw new Refusal("unavailable", shortageSentence(shortage));
  try {
    await checkConnection(context.db);
  } catch (error) {
    if (error instanceof DatabaseAwayError) throw error;
    throw new Refusal("unavailable", `The database does not answer: ${messageOf(error)}.`, { cause: error });
  }
}
