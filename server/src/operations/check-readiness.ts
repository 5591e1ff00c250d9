import type { Operations } from "#operations/context";
import { messageOf, Refusal } from "#plumbing/errors";
import { checkConnection } from "#store/database";

/** Refuses when the database does not answer. */
export async function checkReadiness(context: Pick<Operations, "db">): Promise<void> {
  try {
    await checkConnection(context.db);
  } catch (error) {
    throw new Refusal("unavailable", `The database does not answer: ${messageOf(error)}.`, { cause: error });
  }
}
