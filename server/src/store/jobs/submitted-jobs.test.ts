import { beforeEach, describe, expect, test } from "vitest";
import type { Connection } from "#store/database/database";
import { noteJobs } from "#store/jobs/change-jobs";
import { matchingJobs } from "#store/jobs/filtered-jobs";
import type { JobNote } from "#store/jobs/job-changes";
import { jobsOfRun, maybeCurrentJob, openJobs } from "#store/jobs/jobs";
import { maybeSubmitted } from "#store/jobs/waiting-jobs";
import { nodesOfRun } from "#store/jobs/run-nodes";
import { storeFixture } from "#store/store-fixture";
import { addRun, addUser, alterJobs, DIALECTS, endJob, insertJob, newJob } from "#store/store-suite";
import { oneRun } from "#store/runs/runs";
import type { JobEnd } from "#workflow/job/job";

for (const dialect of DIALECTS) {
  describe(`Submitted jobs in the store on ${dialect.name}`, () => {
    const store = storeFixture(dialect);
    let db: Connection;
    let runId: string;

    beforeEach(async () => {
      ({ db } = store);
      ({ id: runId } = await addRun(db, (await addUser(db)).id, { status: "running" }));
    });

    const end = (change: Partial<JobEnd> = {}): JobEnd => ({
      reason: "exited",
      exitCode: 0,
      startedAtMs: 110,
      endedAtMs: 120,
      ...change,
    });
    const counters = async () => {
      const { jobsRunning, jobsFinished, jobsFailed } = await oneRun(db, runId);
      return { jobsRunning, jobsFinished, jobsFailed };
    };
    const submitted = async () => maybeSubmitted(db, await oneRun(db, runId));
    const nothing = { queueReason: null, concern: null, startedAtMs: null, outsideId: null };
    const note = (id: string, change: Partial<JobNote>, atMs = 120) =>
      noteJobs(db, runId, [{ ...nothing, ...change, id }], atMs);

    test("report the reason of the wait in a queue, until the start or the end, and keep the first outside name", async () => {
      const job = newJob(runId, 0);
      await insertJob(db, job);
      const { backend } = job;
      expect(await submitted()).toEqual({ backend, queueReason: null, concern: null });
      await note(job.id, { queueReason: "no node is free", outsideId: "17" });
      expect(await submitted()).toMatchObject({ queueReason: "no node is free" });
      await note(job.id, { outsideId: "18" });
      expect(await openJobs(db, runId)).toMatchObject([{ queueReason: null, outsideId: "17" }]);
      await note(job.id, { queueReason: "again" });
      await endJob(db, job.id, end(), 1);
      await note(job.id, { queueReason: "late", concern: "late" });
      expect(await jobsOfRun(db, runId)).toMatchObject([
        { queueReason: null, concern: null, outsideId: "17" },
      ]);
      expect(await submitted()).toBeUndefined();
    });

    test("in the queue of a backend are queued, count as waiting, and start when they leave it", async () => {
      const jobs = [0, 1, 2].map((ordinal) => newJob(runId, ordinal, { queueReason: "it is sent" }));
      await alterJobs(db, runId, { issued: jobs });
      const queued = { status: "queued", startedAtMs: null };
      expect(await openJobs(db, runId)).toMatchObject([queued, queued, queued]);
      expect(await counters()).toMatchObject({ jobsRunning: 0 });
      expect(await maybeCurrentJob(db, runId)).toBeUndefined();
      await note(jobs[0]!.id, { startedAtMs: 130 });
      await note(jobs[1]!.id, {}, 140);
      const running = { status: "running", queueReason: null };
      expect(await openJobs(db, runId)).toMatchObject([
        { ...running, startedAtMs: 130 },
        { ...running, startedAtMs: 140 },
        queued,
      ]);
      expect(await counters()).toMatchObject({ jobsRunning: 2 });
      const counts = await nodesOfRun(db, runId);
      expect(counts.reduce((sum, one) => sum + one.counts.created, 0)).toBe(1);
      const found = (status: "queued" | "running") =>
        matchingJobs(db, runId, { status }, { offset: 0, limit: 9, newestFirst: false });
      expect((await found("queued")).jobs.map(({ id }) => id)).toEqual([jobs[2]!.id]);
      expect((await found("running")).total).toBe(2);
      for (const { id } of jobs) await endJob(db, id, end({ startedAtMs: null }), 1);
      expect(await jobsOfRun(db, runId)).toMatchObject([
        { startedAtMs: 130 },
        { startedAtMs: 140 },
        { startedAtMs: null },
      ]);
      expect(await counters()).toEqual({ jobsRunning: 0, jobsFinished: 3, jobsFailed: 0 });
    });

    test("with a concern are named after all running jobs, and before queued ones", async () => {
      const jobs = [0, 1].map((ordinal) => newJob(runId, ordinal, { queueReason: "it is sent" }));
      await alterJobs(db, runId, { issued: jobs });
      await note(jobs[1]!.id, { concern: "The node n1 is silent." });
      expect(await submitted()).toMatchObject({ concern: "The node n1 is silent." });
      await note(jobs[0]!.id, {});
      expect(await submitted()).toMatchObject({ concern: null, queueReason: null });
    });
  });
}
