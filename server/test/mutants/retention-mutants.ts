import { breaking } from "./break-module.ts";
import type { Mutant } from "./mutant.ts";

/** Mutants that remove too much from ended runs. */
export const RETENTION_MUTANTS: readonly Mutant[] = [
  {
    name: "empties the events of a run that is live",
    breaks: breaking(
      () => import("#store/runs/old-runs"),
      ({ maybeRunToEmpty }) => ({
        async maybeRunToEmpty(db, endedBeforeMs) {
          const live = db.selectFrom("runs").select("id").where("status", "=", "running");
          const row = await live.where("emptied_at", "is", null).executeTakeFirst();
          return row?.id ?? maybeRunToEmpty(db, endedBeforeMs);
        },
      }),
    ),
    caughtBy: ["scenarios"],
  },
  {
    name: "empties the events that a restart needs",
    breaks: breaking(
      () => import("#store/events/run-events"),
      ({ emptyRunEvents }) => ({
        emptyRunEvents: (db, runId, part) => emptyRunEvents(db, runId, { ...part, keptKinds: [""] }),
      }),
    ),
    caughtBy: ["scenarios"],
  },
  {
    name: "removes the logs that a rerun shows",
    breaks: breaking(
      () => import("#store/runs/reruns"),
      () => ({
        jobsToForget: (db, workspaceId) =>
          db
            .selectFrom("jobs")
            .innerJoin("runs", "runs.id", "jobs.run_id")
            .select(["jobs.id", "jobs.backend"])
            .where("runs.workspace_id", "=", workspaceId)
            .execute(),
      }),
    ),
    caughtBy: ["worlds"],
  },
];
