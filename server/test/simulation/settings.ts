import type { Limits } from "#scheduler/scheduler";
import type { Dice } from "./dice.ts";
import type { Climate } from "./weather.ts";

export interface WorldSettings {
  readonly climate: Climate;
  readonly hosts: number;
  /** True if jobs are processes of the submitting host, instead of jobs of a cluster visible to all hosts. */
  readonly isHostBound: boolean;
  readonly users: number;
  readonly runs: number;
  readonly lengthMs: number;
  readonly snapshotEveryEvents: number;
  readonly limits: Limits;
  /** Number of engine versions among the servers that come and go. */
  readonly engineVersions: number;
  /**
   * Share of serial steps that are retried after a failure. A share above zero also makes jobs fail often.
   */
  readonly stubbornness: number;
  /** Share of serial runs with independent steps. A share above zero also makes jobs fail often. */
  readonly independence: number;
  /** Share of runs restarted in the same workspace. */
  readonly restarts: number;
  /** Share of runs that are rerun in a new workspace, a copy of the first workspace. */
  readonly reruns: number;
}

export function settingsOf(dice: Dice): WorldSettings {
  const climate = dice.chance(0.2) ? "sleepy" : "mixed";
  return {
    climate,
    hosts: climate === "sleepy" ? dice.between(2, 3) : dice.pick([1, 2, 2, 3]),
    isHostBound: climate === "mixed" && dice.chance(0.5),
    users: dice.between(1, 4),
    runs: dice.between(4, 24),
    lengthMs: dice.magnitude(climate === "sleepy" ? 100_000 : 10_000, 200_000),
    snapshotEveryEvents: dice.pick([1, 2, 3, 5, 10, 1000]),
    limits: {
      maxRunsAtOnce: dice.pick([1, 2, 4, 16]),
      maxRunsPerUser: dice.pick([1, 3, 1000]),
      capacity: { cores: dice.pick([1, 2, 4, 32]), memoryBytes: dice.pick([500, 1000, 100_000]) },
    },
    engineVersions: dice.pick([1, 1, 2]),
    stubbornness: dice.pick([0, 0, 0.3, 0.9]),
    restarts: dice.pick([0, 0, 0.3, 0.8]),
    independence: dice.pick([0, 0, 0.5, 1]),
    reruns: dice.pick([0, 0, 0.3, 0.6]),
  };
}
