/**
 * The status machine of a run: from → to → allowed causes. `moveRun` reads this table. A test compares the
 * refusals of `operations/runs/status-conflict.ts` with it.
 */
export const RUN_STATUSES = [
  "created",
  "queued",
  "pending",
  "running",
  "finished",
  "failed",
  "stopped",
  "deleted",
] as const;

export type RunStatus = (typeof RUN_STATUSES)[number];

/**
 * user: a person or program over the API. scheduler: gives a queued run its turn. runner: drives a run. retention:
 * deletes old runs.
 */
export type Actor = "user" | "scheduler" | "runner" | "retention";

interface Transition {
  readonly from: RunStatus;
  readonly to: RunStatus;
  readonly by: readonly Actor[];
}

export const TRANSITIONS: readonly Transition[] = [
  { from: "created", to: "queued", by: ["user"] },
  { from: "queued", to: "pending", by: ["scheduler"] },
  { from: "pending", to: "running", by: ["runner"] },
  { from: "running", to: "finished", by: ["runner"] },
  { from: "running", to: "failed", by: ["runner"] },
  { from: "running", to: "stopped", by: ["runner"] },
  // No job of the run exists yet, so a stop takes effect immediately.
  { from: "queued", to: "stopped", by: ["user"] },
  { from: "pending", to: "stopped", by: ["runner"] },
  { from: "created", to: "deleted", by: ["user"] },
  { from: "finished", to: "deleted", by: ["user", "retention"] },
  { from: "failed", to: "deleted", by: ["user", "retention"] },
  { from: "stopped", to: "deleted", by: ["user", "retention"] },
];

/** Returns the statuses from which `by` may move a run to `to`. */
export function statusesBefore(to: RunStatus, by: Actor): RunStatus[] {
  return TRANSITIONS.filter((row) => row.to === to && row.by.includes(by)).map((row) => row.from);
}

/**
 * Statuses of runs that have started and not ended. A live run may hold a place, processes, and its
 * workspace.
 */
export const LIVE_STATUSES = ["queued", "pending", "running"] as const satisfies readonly RunStatus[];

export function isLive(status: RunStatus): boolean {
  return (LIVE_STATUSES as readonly RunStatus[]).includes(status);
}

/**
 * Statuses of runs that have had their turn and not ended: a host drives each run, or will after a restart.
 */
export const DRIVEN_STATUSES = ["pending", "running"] as const satisfies readonly RunStatus[];

/** Statuses of ended runs. An unstarted run is neither live nor over. */
export const OVER_STATUSES: readonly RunStatus[] = RUN_STATUSES.filter(
  (status) => status !== "created" && !isLive(status),
);

export function isOver(status: RunStatus): boolean {
  return OVER_STATUSES.includes(status);
}

/** Statuses of undeleted runs. */
export const CURRENT_STATUSES: readonly RunStatus[] = RUN_STATUSES.filter((status) => status !== "deleted");

export function isRunStatus(word: unknown): word is RunStatus {
  return RUN_STATUSES.includes(word as RunStatus);
}
