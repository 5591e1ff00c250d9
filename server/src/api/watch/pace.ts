import Type, { type Static } from "typebox";
import type { Pace } from "#operations/watch/progress/pace";

export const PaceRecord = Type.Object(
  {
    jobs: Type.Integer({ description: "Number of the most recently ended jobs, at most 100." }),
    over_ms: Type.Integer({ description: "Time from the first counted end until now." }),
  },
  {
    title: "Pace",
    description:
      "How fast jobs end at present. Absent unless the run is running, has at least 20 jobs, and some have ended. " +
      "Jobs that were taken over do not count.",
  },
);

export function paceRecord({ jobs, sinceMs }: Pace, nowMs: number): Static<typeof PaceRecord> {
  // Clocks of several machines may differ.
  return { jobs, over_ms: Math.max(1, nowMs - sinceMs) };
}
