import { expect, test } from "vitest";
import { JobStateCache } from "#operations/watch/progress/job-state-cache";
import { MAX_JOB_IDS, progressOfRuns } from "#operations/watch/progress/progress";
import { oneRun, insertRun } from "#store/runs/runs";
import { addUser, DIALECTS, newRun } from "#store/store-suite";

const JOBS = MAX_JOB_IDS + 20;

test.each(DIALECTS)("lists the newest jobs of each status and counts all, on $name", async (dialect) => {
  const { db, close } = await dialect.open();
  const run = newRun((await addUser(db)).id);
  await insertRun(db, run);
  const idOf = (index: number) => `${run.id}-${index}`;
  // The oldest has failed, the newest two still run, all others have finished.
  const jobs = Array.from({ length: JOBS }, (_, index) => ({
    id: idOf(index),
    run_id: run.id,
    ordinal: index,
    key: `${index}`,
    attempt: 1,
    name: `step ${index}`,
    node: "n",
    command: `run ${index}`,
    backend: "Local",
    status:
      index === 0 ? ("failed" as const) : index < JOBS - 2 ? ("finished" as const) : ("running" as const),
    host_token: "b",
    created_at: 1,
  }));
  await db.insertInto("jobs").values(jobs).execute();
  const counters = { jobs_running: 2, jobs_finished: JOBS - 3, jobs_failed: 1 };
  await db.updateTable("runs").set(counters).where("id", "=", run.id).execute();

  const stored = await oneRun(db, run.id);
  const { progress } = await new JobStateCache(db).of(stored);
  const ids = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => idOf(from + index));
  expect(progress).toEqual({
    currentLabel: `step ${JOBS - 1}`,
    total: { total: JOBS, jobIds: ids(JOBS - MAX_JOB_IDS, JOBS) },
    running: { total: 2, jobIds: ids(JOBS - 2, JOBS) },
    finished: { total: JOBS - 3, jobIds: ids(JOBS - 2 - MAX_JOB_IDS, JOBS - 2) },
    failed: { total: 1, jobIds: ids(0, 1) },
    currentCommand: `run ${JOBS - 1}`,
    currentStepName: `step ${JOBS - 1}`,
  });
  expect((await progressOfRuns(db, [stored])).get(run.id)).toEqual(progress);
  await close();
});
