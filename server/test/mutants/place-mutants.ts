import { breaking } from "./break-module.ts";
import type { Mutant } from "./mutant.ts";

/** Servers that record a wrong host or a wrong queue reason of a job. */
export const PLACE_MUTANTS: readonly Mutant[] = [
  {
    name: "takes a job to be free to run on any host",
    breaks: breaking(
      () => import("#store/jobs/new-jobs"),
      ({ insertJobs }) => ({
        insertJobs: (db, jobs) =>
          insertJobs(
            db,
            jobs.map((job) => ({ ...job, hostId: null })),
          ),
      }),
    ),
    caughtBy: ["worlds"],
  },
  {
    name: "lets a job that has ended wait in a queue",
    breaks: breaking(
      () => import("#store/jobs/job-changes"),
      ({ endJobs }) => ({
        async endJobs(db, ends) {
          const ids = ends.map(({ id }) => id);
          const waiting = await db
            .selectFrom("jobs")
            .select(["id", "queue_reason"])
            .where("id", "in", ids)
            .execute();
          const ended = await endJobs(db, ends);
          for (const { id, queue_reason } of waiting)
            await db.updateTable("jobs").set({ queue_reason }).where("id", "=", id).execute();
          return ended;
        },
      }),
    ),
    caughtBy: ["worlds"],
  },
  {
    name: "records a name outside that is not the job's",
    breaks: breaking(
      () => import("#store/jobs/job-changes"),
      ({ noteJob }) => ({
        noteJob: (db, note, atMs) =>
          noteJob(db, { ...note, outsideId: note.outsideId && `the one before ${note.id}` }, atMs),
      }),
    ),
    caughtBy: ["worlds"],
  },
];
