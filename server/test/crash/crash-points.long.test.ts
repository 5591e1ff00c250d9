import { type CrashPoint, SERVER_CRASH_POINTS } from "#plumbing/crash-points";
import { deathsAt, testDeaths } from "./crash-cases.ts";

/** Points that are passed often. Servers are also killed at later passes, when more is running or stored. */
const LATER: readonly (readonly [point: string, ...times: number[]])[] = [
  ["secret-written", 2],
  ["repository-fetched", 2],
  ["delete-recorded", 2],
  ["attempt-removed", 3],
  ["workspace-hidden", 2],
  ["turn-recorded", 3],
  ["beginning-recorded", 3],
  ["events-recorded", 4],
  ["snapshot-recorded", 4],
  ["jobs-admitted", 3],
  ["file-pruned", 2],
  ["job-secrets-written", 2],
  ["end-recorded", 2, 3],
  ["order-sent", 8],
  ["exit-seen", 4],
];

/** Consecutive deaths: a server that recovers from a crash is killed as well. */
const AGAIN: readonly (readonly string[])[] = [
  ["migration-applied:1", "migration-applied:1"],
  ["attempt-made:2", "order-sent:1"],
  ["delete-recorded:2", "claim-seen:1", "claim-seen:1"],
  ["exit-seen:2", "exit-seen:1"],
  ["engine-asked:2", "run-replayed:1"],
  ["claim-taken:1", "exit-written:1"],
  ["cancel-marked:1", "job-signalled:1"],
  ["jobs-cancelled:1", "end-recorded:1"],
  ["delete-recorded:2", "attempt-removed:2"],
  ["workspace-hidden:2", "workspace-removed:1"],
  ["end-recorded:1", "file-pruned:1", "file-pruned:1", "rule-carried-out:1"],
  ["job-secrets-written:1", "job-secrets-written:1"],
  ["job-secrets-written:2", "job-secrets-removed:1"],
  ["beginning-recorded:3", "job-submitted:1", "events-recorded:1", "end-recorded:1"],
];

/** Each point in a separate world. The short form walks many points in one world. */
const ALL = (Object.keys(SERVER_CRASH_POINTS) as CrashPoint[]).map(deathsAt);

testDeaths([
  ...ALL,
  ...LATER.flatMap(([point, ...times]) => times.map((time) => [`${point}:${time}`])),
  ...AGAIN,
]);
