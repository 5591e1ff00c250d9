import { breaking } from "./break-module.ts";
import type { Mutant } from "./mutant.ts";

/** Servers that do not respect the property of another host, or resume a run in a wrong way. */
export const HOST_MUTANTS: readonly Mutant[] = [
  {
    name: "takes another host's job for one of its own",
    breaks: breaking(
      () => import("#store/jobs/jobs"),
      ({ openJobs }) => ({
        openJobs: async (...args) => (await openJobs(...args)).map((job) => ({ ...job, hostId: null })),
      }),
    ),
    caughtBy: ["scenarios"],
  },
  {
    name: "leaves running what was given up while it was declared lost",
    breaks: breaking(
      () => import("#scheduler/returned-host"),
      () => ({ createReturnedHost: () => ({ look: async () => undefined }) }),
    ),
    caughtBy: ["scenarios"],
  },
  {
    name: "takes a run that another host drives",
    breaks: breaking(
      () => import("#store/hosts/leases"),
      ({ maybeTakeLease }) => ({
        async maybeTakeLease(db, runId, hostId) {
          await db.updateTable("runs").set({ held_by: null }).where("id", "=", runId).execute();
          return maybeTakeLease(db, runId, hostId);
        },
      }),
    ),
    caughtBy: ["worlds"],
  },
  {
    name: "does not ask again what has no answer",
    breaks: breaking(
      () => import("#runner/loop/replay"),
      ({ findResumePoint }) => ({
        async findResumePoint(...args) {
          const point = await findResumePoint(...args);
          if (point.kind !== "begun") return point;
          return { ...point, progress: { ...point.progress, asks: new Map() } };
        },
      }),
    ),
    caughtBy: ["worlds", "scenarios"],
  },
  {
    name: "forgets jobs that wait for capacity when it resumes a run",
    breaks: breaking(
      () => import("#runner/loop/replay"),
      ({ findResumePoint }) => ({
        async findResumePoint(db, run, session) {
          const point = await findResumePoint(db, run, session);
          const waiting = await db
            .selectFrom("jobs")
            .select("key")
            .where("run_id", "=", run.id)
            .where("status", "=", "created")
            .execute();
          if (point.kind !== "begun") return point;
          const jobs = new Map(point.progress.jobs);
          for (const { key } of waiting) jobs.delete(key);
          return { ...point, progress: { ...point.progress, jobs } };
        },
      }),
    ),
    caughtBy: ["worlds"],
  },
];
