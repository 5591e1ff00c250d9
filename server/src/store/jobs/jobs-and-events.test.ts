import { beforeEach, describe, expect, test } from "vitest";
import type { Connection } from "#store/database/database";
import { imageUse } from "#store/jobs/image-use";
import { insertJobStamps, jobStampsOf } from "#store/jobs/job-stamps";
import { KnownJobError } from "#store/jobs/new-jobs";
import { jobPlacesOfWorkspace, jobsOfRun, jobsOfRuns, openJobs } from "#store/jobs/jobs";
import {
  engineLog,
  insertRunEvent,
  insertRunEvents,
  nextRunEventSeq,
  runEvents,
} from "#store/events/run-events";
import { addUser, addRun, DIALECTS, newJob, insertJob, endJob, alterJobs } from "#store/store-suite";
import { storeFixture } from "#store/store-fixture";
import { oneRun } from "#store/runs/runs";
import { markWorkspaceRemoved } from "#store/workspaces/workspaces";
import type { EndReason, JobEnd } from "#workflow/job/job";

for (const dialect of DIALECTS) {
  describe(`Runs in the store on ${dialect.name}`, () => {
    const store = storeFixture(dialect);
    let db: Connection;
    let runId: string;
    let workspaceId: string;

    beforeEach(async () => {
      ({ db } = store);
      const { id: ownerId } = await addUser(db);
      ({ id: runId, workspaceId } = await addRun(db, ownerId, { status: "running" }));
    });

    const event = (seq: number, change: object = {}) => ({
      seq,
      kind: "k",
      body: null,
      log: "",
      atMs: 5,
      ...change,
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

    describe("events", () => {
      test("come back as they were written, in the order of their numbers", async () => {
        expect(await nextRunEventSeq(db, runId)).toBe(0);
        const body = { deep: [{ text: "é\u0000\"'" }, 1.25, null, false] };
        const written = [event(2, { log: "c\n" }), event(0, { body, log: "a\n", kind: "start" }), event(1)];
        for (const one of written) await insertRunEvent(db, runId, one);
        expect(await runEvents(db, runId)).toEqual(written.toSorted((one, other) => one.seq - other.seq));
        expect(await nextRunEventSeq(db, runId)).toBe(3);
        expect(await engineLog(db, runId)).toBe("a\nc\n");
      });

      test("have a number once in each run", async () => {
        const other = await addRun(db, (await addUser(db)).id);
        await insertRunEvent(db, runId, event(0));
        await insertRunEvent(db, other.id, event(0));
        await expect(insertRunEvent(db, runId, event(0, { kind: "again" }))).rejects.toThrow(/unique/i);
        expect(await runEvents(db, runId)).toEqual([event(0)]);
      });

      test("cannot be stored without a run", async () => {
        await expect(insertRunEvent(db, "unknown", event(0))).rejects.toThrow(/foreign key/i);
        expect(await runEvents(db, "unknown")).toEqual([]);
        expect(await engineLog(db, "unknown")).toBe("");
      });
    });

    describe("jobs", () => {
      test("are kept as running from the moment they are intended", async () => {
        const job = newJob(runId, 0, {
          name: "fit",
          label: "fit · task 1",
          image: "docker.io/a:1",
          command: "echo é",
        });
        await insertJob(db, job);
        const nothingYet = { reason: null, exitCode: null, detail: null, finishedAtMs: null };
        const rest = {
          status: "running",
          ...nothingYet,
          cpuMs: null,
          peakBytes: null,
          gpuMs: null,
          gpuPeakBytes: null,
          sampled: [],
          endedSeq: null,
          takenFrom: null,
          imageDigest: null,
          outsideId: null,
          queueReason: null,
          concern: null,
        };
        expect(await jobsOfRun(db, runId)).toEqual([{ ...job, ...rest, startedAtMs: 100 }]);
        expect(await counters()).toEqual({ jobsRunning: 1, jobsFinished: 0, jobsFailed: 0 });
      });

      test("keep every character of their texts and of their events, however many are written at once", async () => {
        const texts = ["\0", "a\0b\u0010c", "\u00100", "\u00101\u0010\0", "é\u2028😀\u{10ffff}", "\\0 \"'\n"];
        const jobs = texts.map((text, ordinal) =>
          newJob(runId, ordinal, { key: text, name: text, node: text, command: text, image: text }),
        );
        await alterJobs(db, runId, { issued: jobs });
        const ends = jobs.map(({ id }, seq) => ({ id, seq, end: end({ detail: texts[seq]! }) }));
        expect((await alterJobs(db, runId, { ended: ends })).size).toBe(texts.length);
        const rows = await jobsOfRun(db, runId);
        for (const field of ["key", "name", "node", "command", "image", "detail"] as const) {
          expect(rows.map((row) => row[field])).toEqual(texts);
        }
        const events = texts.map((text, seq) => event(seq, { kind: text, body: text, log: text }));
        await insertRunEvents(db, runId, events);
        expect(await runEvents(db, runId)).toEqual(events);
        expect(await engineLog(db, runId)).toBe(texts.join(""));
      });

      test("keep why they run again, or do not", async () => {
        const fact = { field: "parameters.é", before: { n: [1] }, now: null };
        const why = (kind: string) => ({ kind, facts: [fact], sentence: `It is "${kind}".` });
        await insertJob(db, newJob(runId, 0, { decision: why("changed") }));
        const { status: _, hostId: _host, hostToken: _token, ...job } = newJob(runId, 1);
        const taken = { takenFrom: "another", detail: null, endedSeq: 3, decision: why("taken-over") };
        await alterJobs(db, runId, { taken: [{ ...job, ...taken }] });
        await insertJob(db, newJob(runId, 2));
        expect((await jobsOfRun(db, runId)).map(({ decision }) => decision)).toEqual([
          why("changed"),
          why("taken-over"),
          null,
        ]);
      });

      test("report used images: of the last ended jobs, and of open jobs", async () => {
        const job = (ordinal: number, image: string) => newJob(runId, ordinal, { image });
        const jobs = [job(0, "a:1"), job(1, "a:2"), job(2, "b:1"), job(3, "c:1"), job(4, "c:1")];
        await alterJobs(db, runId, { issued: jobs });
        const ends = ["sha256:a", "sha256:a", undefined].map((imageDigest, seq) => ({
          id: jobs[seq]!.id,
          seq,
          end: end({ endedAtMs: 200 + seq, ...(imageDigest !== undefined && { imageDigest }) }),
        }));
        await alterJobs(db, runId, { ended: ends });
        const { status: _, hostId: _host, hostToken: _boot, ...taken } = newJob(runId, 5, { image: "a:1" });
        await alterJobs(db, runId, {
          taken: [{ ...taken, takenFrom: jobs[0]!.id, detail: null, endedSeq: 3 }],
        });
        expect((await jobsOfRun(db, runId)).at(-1)).toMatchObject({ imageDigest: "sha256:a" });
        expect(await imageUse(db)).toEqual({ lastUsedAtMs: new Map([["sha256:a", 201]]), wanted: ["c:1"] });
      });

      test("taken over from an earlier run are finished from the beginning, and counted once", async () => {
        const { status: _, hostId: _host, hostToken: _boot, ...job } = newJob(runId, 0);
        const taken = { ...job, takenFrom: "another", detail: "Nothing has changed.", endedSeq: 3 };
        await alterJobs(db, runId, { taken: [taken] });
        await expect(alterJobs(db, runId, { taken: [taken] })).rejects.toThrow(KnownJobError);
        expect(await endJob(db, job.id, end(), 4)).toBe(false);
        expect(await jobsOfRun(db, runId)).toMatchObject([
          { status: "finished", reason: "taken-over", takenFrom: "another", detail: "Nothing has changed." },
        ]);
        expect(await openJobs(db, runId)).toEqual([]);
        expect(await counters()).toEqual({ jobsRunning: 0, jobsFinished: 1, jobsFailed: 0 });
      });

      test("have stamps as long as the workspace has its files", async () => {
        const [one, other] = [newJob(runId, 0), newJob(runId, 1)];
        for (const job of [one, other]) await insertJob(db, job);
        const stamps = { isWhole: true, files: { é: "1", gone: null } };
        await insertJobStamps(db, [{ id: one.id, stamps }]);
        expect(await jobStampsOf(db, runId)).toEqual(new Map([[one.id, stamps]]));
        await markWorkspaceRemoved(db, (await oneRun(db, runId)).workspaceId, 5);
        expect(await jobStampsOf(db, runId)).toEqual(new Map());
      });

      test.each<[EndReason, number | null, string, object]>([
        ["exited", 0, "finished", { jobsFinished: 1 }],
        ["exited", 1, "failed", { jobsFailed: 1 }],
        ["time-limit", 137, "failed", { jobsFailed: 1 }],
        ["output-limit", 137, "failed", { jobsFailed: 1 }],
        ["lost", null, "failed", { jobsFailed: 1 }],
        ["cancelled", 143, "stopped", {}],
        ["not-started", null, "stopped", {}],
      ])(
        "%s with %s: %s, counted once however often it is reported",
        async (reason, exitCode, status, moved) => {
          const job = newJob(runId, 0);
          await insertJob(db, job);
          const usage = {
            cpuMs: 1500,
            peakBytes: 4096,
            gpuMs: 900,
            gpuPeakBytes: 8192,
            sampled: ["peakBytes" as const],
          };
          expect(await endJob(db, job.id, end({ reason, exitCode, detail: "why", usage }), 1)).toBe(true);
          expect(await endJob(db, job.id, end({ endedAtMs: 999 }), 2)).toBe(false);
          const times = { startedAtMs: 110, finishedAtMs: 120 };
          const [kept] = await jobsOfRun(db, runId);
          const ended = { status, reason, exitCode, detail: "why", endedSeq: 1, takenFrom: null };
          const outside = { imageDigest: null, outsideId: null, queueReason: null, concern: null };
          expect(kept).toEqual({ ...job, label: job.name, ...times, ...ended, ...usage, ...outside });
          expect(await counters()).toEqual({ jobsRunning: 0, jobsFinished: 0, jobsFailed: 0, ...moved });
        },
      );

      test("keep the time of their intent if their start was never seen", async () => {
        const job = newJob(runId, 0);
        await insertJob(db, job);
        await endJob(db, job.id, end({ reason: "lost", exitCode: null, startedAtMs: null }), 1);
        expect(await jobsOfRun(db, runId)).toMatchObject([{ startedAtMs: 100, detail: null }]);
      });

      test("have no start if the backend never started the jobs", async () => {
        const job = newJob(runId, 0);
        await insertJob(db, job);
        await endJob(db, job.id, end({ reason: "not-started", exitCode: null, startedAtMs: null }), 1);
        expect(await jobsOfRun(db, runId)).toMatchObject([{ startedAtMs: null, finishedAtMs: 120 }]);
      });

      test("that wait for their turn count as running afterwards, and record where", async () => {
        const job = newJob(runId, 0, { status: "created" });
        await insertJob(db, job);
        expect(await counters()).toMatchObject({ jobsRunning: 0 });
        expect(await openJobs(db, runId)).toMatchObject([{ status: "created", startedAtMs: null }]);
        const place = { backend: "Local", hostId: "other", hostToken: "later", queueReason: null };
        const admission = { ...place, ids: [job.id], atMs: 300 };
        for (let times = 0; times < 2; times += 1) await alterJobs(db, runId, { admitted: [admission] });
        expect(await openJobs(db, runId)).toMatchObject([
          { status: "running", hostId: "other", hostToken: "later", startedAtMs: 300 },
        ]);
        expect(await counters()).toMatchObject({ jobsRunning: 1 });
        await endJob(db, job.id, end(), 1);
        await alterJobs(db, runId, { admitted: [admission] });
        expect(await openJobs(db, runId)).toEqual([]);
        expect(await counters()).toEqual({ jobsRunning: 0, jobsFinished: 1, jobsFailed: 0 });
      });

      test("that end during the wait were never counted as running", async () => {
        const job = newJob(runId, 0, { status: "created" });
        await insertJob(db, job);
        await endJob(db, job.id, end({ reason: "not-started", exitCode: null, startedAtMs: null }), 1);
        expect(await jobsOfRun(db, runId)).toMatchObject([{ status: "stopped", startedAtMs: null }]);
        expect(await counters()).toEqual({ jobsRunning: 0, jobsFinished: 0, jobsFailed: 0 });
      });

      test("that are unknown do not end", async () => {
        expect(await endJob(db, "unknown", end(), 1)).toBe(false);
      });

      test("are there once for each key and attempt, and only in a run", async () => {
        await insertJob(db, newJob(runId, 0, { key: "same" }));
        await expect(insertJob(db, newJob(runId, 1, { key: "same" }))).rejects.toThrow(KnownJobError);
        await insertJob(db, newJob(runId, 1, { key: "same", attempt: 2 }));
        await expect(insertJob(db, newJob("unknown", 2))).rejects.toThrow(/foreign key/i);
        expect(await counters()).toMatchObject({ jobsRunning: 2 });
      });

      test("are written many at once, and counted; ends of unknown and ended ones change nothing", async () => {
        const [one, two, waiting, four] = [0, 1, 2, 3].map((ordinal) =>
          newJob(runId, ordinal, { name: `\ud800 é'"\\ ${ordinal}` }),
        );
        await alterJobs(db, runId, { issued: [one!, two!, { ...waiting!, status: "created" }, four!] });
        expect(await counters()).toEqual({ jobsRunning: 3, jobsFinished: 0, jobsFailed: 0 });
        await endJob(db, one!.id, end(), 1);
        const ends = [
          { id: one!.id, end: end({ exitCode: 1 }), seq: 2 },
          { id: two!.id, end: end({ exitCode: 3, usage: { cpuMs: 70 } }), seq: 3 },
          { id: waiting!.id, end: end({ reason: "not-started", startedAtMs: null }), seq: 4 },
          { id: "unknown", end: end(), seq: 5 },
        ];
        expect(await alterJobs(db, runId, { ended: ends })).toEqual(new Set([two!.id, waiting!.id]));
        expect(await jobsOfRun(db, runId)).toMatchObject([
          { status: "finished", exitCode: 0, endedSeq: 1, name: `\ufffd é'"\\ 0` },
          { status: "failed", exitCode: 3, endedSeq: 3, cpuMs: 70 },
          { status: "stopped", startedAtMs: null, endedSeq: 4 },
          { status: "running", exitCode: null },
        ]);
        expect(await counters()).toEqual({ jobsRunning: 1, jobsFinished: 1, jobsFailed: 1 });
      });

      test("are not written if one of many has a known key", async () => {
        await insertJob(db, newJob(runId, 0, { key: "same" }));
        const many = [newJob(runId, 1, { key: "new" }), newJob(runId, 2, { key: "same" })];
        await expect(alterJobs(db, runId, { issued: many })).rejects.toThrow(/"same"/);
        const twice = [newJob(runId, 3, { key: "twice" }), newJob(runId, 4, { key: "twice" })];
        await expect(alterJobs(db, runId, { issued: twice })).rejects.toThrow(/"twice"/);
      });

      test("are listed in the order of submission within their runs", async () => {
        const other = await addRun(db, (await addUser(db)).id);
        const jobs = [newJob(runId, 2), newJob(runId, 0), newJob(runId, 1), newJob(other.id, 0)];
        for (const job of jobs) await insertJob(db, job);
        const ordinals = (await jobsOfRun(db, runId)).map((job) => job.ordinal);
        expect(ordinals).toEqual([0, 1, 2]);
        const both = Map.groupBy(await jobsOfRuns(db, [runId, other.id]), (job) => job.runId);
        expect(both.get(runId)?.map((job) => job.ordinal)).toEqual([0, 1, 2]);
        expect(both.get(other.id)?.map((job) => job.id)).toEqual([jobs[3]!.id]);
        expect(await jobsOfRuns(db, [])).toEqual([]);
        expect((await jobPlacesOfWorkspace(db, workspaceId)).map(({ id }) => id).toSorted()).toEqual(
          jobs
            .slice(0, 3)
            .map((job) => job.id)
            .toSorted(),
        );
      });
    });
  });
}
