import type { ServerServices } from "#operations/service/services";
import { shortageSentence } from "#operations/service/disk-shortage";
import { messageOf, Refusal } from "#plumbing/errors";
import { checkConnection } from "#store/database/database";
import { DatabaseAwayError } from "#store/database/database-away";

/**
 * Refuses if the disk is full or the database is away. Otherwise returns a sentence: a server is ready even if a place
 * of its jobs does not answer. Messages show no paths or addresses: anyone may call this.
 */
export async function checkReadiness(
  context: Pick<ServerServices, "db" | "disk" | "scheduler">,
): Promise<string> {
  await context.disk.look();
  const shortage = context.disk.shortage();
  if (shortage?.isFull) throw new Refusal("unavailable", shortageSentence(shortage));
  try {
    await checkConnection(context.db);
  } catch (error) {
    if (error instanceof DatabaseAwayError) throw error;
    throw new Refusal("unavailable", `The database does not answer: ${messageOf(error)}.`, { cause: error });
  }
  const away = [...context.scheduler.hostStatus().away.keys()];
  return away.length === 0 ? "OK" : `OK, but jobs wait, because a place does not answer: ${away.join(", ")}.`;
}
