import { sql } from "kysely";
import { DAY_MS } from "#plumbing/clock";
import type { Connection } from "#store/database/database";
import { databaseTime } from "#store/database/database-time";
import { DRIVEN_STATUSES } from "#workflow/run/run-status";

/** Silence after which a host without runs and logs is forgotten. */
const SILENT_FOR_MS = DAY_MS;

/**
 * Forgets the hosts of a shared folder that have signed off, or have been silent for a day, if they hold no live run, no
 * notebook and no log of a job. Returns the number of forgotten hosts. A host that returns registers again.
 */
export async function forgetHosts(db: Connection, sharedId: string): Promise<number> {
  const result = await db
    .deleteFrom("hosts")
    .where("shared_id", "=", sharedId)
    .where("seen_at", "<", sql<number>`${databaseTime(db)} - ${sql.lit(SILENT_FOR_MS)}`)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("runs")
            .select("runs.id")
            .whereRef("runs.held_by", "=", "hosts.id")
            .where("runs.status", "in", DRIVEN_STATUSES),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("notebooks").select("run_id").whereRef("notebooks.host_id", "=", "hosts.id"))),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("jobs").select("jobs.id").whereRef("jobs.host_id", "=", "hosts.id"))),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
