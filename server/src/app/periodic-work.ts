import type { ServerParts } from "#app/server-parts";
import { createRetention } from "#operations/files/retention";
import { repeatedly } from "#scheduler/repeatedly";
import { checkConnection } from "#store/database/database";

const OUTAGE_LOOK_INTERVAL_MS = 2000;

/** Checks the disk, and whether an earlier outage has ended, until the returned function is called. */
export function lookForOutages({
  clock,
  disk,
  db,
  log,
}: Pick<ServerParts, "clock" | "disk" | "db" | "log">): () => Promise<void> {
  return repeatedly({
    clock,
    everyMs: OUTAGE_LOOK_INTERVAL_MS,
    async work() {
      disk.look();
      if (!disk.shortage()?.isFull) log.over("disk");
      if (!log.isUnderWay("database")) return;
      await checkConnection(db);
      log.over("database");
    },
    onFailure: (error) => log.error({ err: error }, "The free disk space could not be read; trying again."),
  });
}

/** Interval between two checks for due retention rules. Rules are counted in days. */
const RETENTION_INTERVAL_MS = 10_000;

/** Applies retention rules when they are due, until the returned function is called. */
export function applyRetention(
  parts: Pick<ServerParts, "clock" | "db" | "workspaces" | "host" | "log">,
): () => Promise<void> {
  return repeatedly({
    clock: parts.clock,
    everyMs: RETENTION_INTERVAL_MS,
    work: createRetention(parts, parts.host.id),
    onFailure: (error) => parts.log.error({ err: error }, "Applying retention rules failed; trying again."),
  });
}
