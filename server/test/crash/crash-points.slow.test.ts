import { type CrashPoint, SERVER_CRASH_POINTS } from "#plumbing/crash-points";
import { testPoints } from "./crash-cases.ts";
import { ON_POSTGRES } from "../support/database.ts";
import { drawn } from "../../../tools/draw.ts";

/**
 * The points at which the database decides the state after a kill: behind the commits on which leases, locks,
 * wake-ups and the history of a run depend. At every other point both databases leave the same state, as the
 * long form checks.
 */
const DECIDED_BY_DATABASE: readonly CrashPoint[] = [
  "migration-applied",
  "tables-migrated",
  "user-created",
  "run-created",
  "start-recorded",
  "restart-recorded",
  "stop-recorded",
  "delete-recorded",
  "removal-recorded",
  "secrets-added",
  "rule-claimed",
  "rule-applied",
  "host-registered",
  "turn-recorded",
  "lease-taken",
  "host-signed-off",
  "beginning-recorded",
  "events-recorded",
  "take-over-recorded",
  "retry-recorded",
  "snapshot-recorded",
  "jobs-admitted",
  "unread-recorded",
  "intermediates-removed",
  "end-recorded",
];

/**
 * The real server is killed at each of its crash points, started again, and judged by its promises. The judge knows
 * from outside what a killed server had acknowledged and what its jobs did (check-promises.ts). Each commit draws a
 * third of the points. The long form walks every point in a world of its own, on both databases, and adds later passes and
 * several deaths in a row.
 */
const points = ON_POSTGRES ? DECIDED_BY_DATABASE : (Object.keys(SERVER_CRASH_POINTS) as CrashPoint[]);
testPoints(drawn(points, 3, (point) => point));
