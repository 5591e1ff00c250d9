import type { Operations } from "#operations/context";
import { messageOf, Refusal } from "#plumbing/errors";
import { checkConnection } from "#store/database";
import { DatabaseAwayError } from "#store/database-away";

/** Refuses when the database does not answer. Where it stands is nobody's business who may ask this. */
export async function checkReadiness(context: Pick<Operations, "db">): Promise<void> {
  try {
    await checkConnection(context.db);
  } catch (error) {
    if (error instanceof DatabaseAwayError) throw error;
    throw new Refusal("unavailable", `The database does not answer: ${messageOf(error)}.`, { cause: error });
  }
}
