import { beforeEach, describe, expect, test } from "vitest";
import { jobPlacesOfRun, jobKeysFrom, openJobs } from "#store/jobs/jobs";
import { insertRunEvent, runEventsFrom } from "#store/events/run-events";
import { insertRunOutputs, maybeRunOutputs } from "#store/runs/run-outputs";
import { maybeSnapshot, putSnapshot } from "#store/events/run-snapshots";
import { alterJobs, addUser, addRun, DIALECTS, newJob, insertJob, endJob } from "#store/store-suite";
import { storeFixture } from "#store/store-fixture";

for (const dialect of DIALECTS) {
  describe(`Snapshots of a run in the store on ${dialect.name}`, () => {
    const store = storeFixture(dialect);
    let runId: string;

    beforeEach(async () => {
      const { id: ownerId } = await addUser(store.db);
      ({ id: runId } = await addRun(store.db, ownerId, { status: "running" }));
    });

    async function addJob(ordinal: number): Promise<string> {
      const job = newJob(runId, ordinal, { id: `${runId}-${ordinal}`, key: `key ${ordinal}` });
      await insertJob(store.db, job);
      return job.id;
    }

    test("the last snapshot of a run is the only one", async () => {
      expect(await maybeSnapshot(store.db, runId)).toBeUndefined();
      const first = { seq: 5, engineVersion: 1, jobCount: 3, state: "[1]", outstanding: "{}" };
      const second = { seq: 9, engineVersion: 2, jobCount: 4, state: "null", outstanding: "[]" };
      await putSnapshot(store.db, runId, first);
      expect(await maybeSnapshot(store.db, runId)).toEqual(first);
      await putSnapshot(store.db, runId, second);
      expect(await maybeSnapshot(store.db, runId)).toEqual(second);
    });

    test("a number of events from a position on", async () => {
      for (const seq of [0, 1, 2, 3]) {
        await insertRunEvent(store.db, runId, { seq, kind: "k", body: seq, log: "", atMs: 0 });
      }
      const events = await runEventsFrom(store.db, runId, { seq: 1, limit: 2 });
      expect(events.map((event) => event.body)).toEqual([1, 2]);
    });

    test("the keys of jobs from one on, and the jobs that still run", async () => {
      const ids = [await addJob(0), await addJob(1), await addJob(2)];
      await endJob(store.db, ids[1]!, { reason: "exited", exitCode: 0, startedAtMs: 1, endedAtMs: 2 }, 1);
      expect(await jobKeysFrom(store.db, runId, 1)).toEqual(["key 1", "key 2"]);
      expect((await openJobs(store.db, runId)).map((job) => job.id)).toEqual([ids[0], ids[2]]);
      expect(await placesOf(runId)).toEqual(ids);
    });

    test("where the jobs of a run went, in pieces that leave out none", async () => {
      const jobs = Array.from({ length: 2003 }, (_, at) => at + Number(at > 1500)).map((ordinal) =>
        newJob(runId, ordinal, { key: `key ${ordinal}` }),
      );
      await alterJobs(store.db, runId, { issued: jobs });
      expect(await placesOf(runId)).toEqual(jobs.map(({ id }) => id));
    });

    async function placesOf(id: string): Promise<string[]> {
      const ids: string[] = [];
      for await (const places of jobPlacesOfRun(store.db, id)) ids.push(...places.map((place) => place.id));
      return ids;
    }

    test("outputs come back as they were given", async () => {
      expect(await maybeRunOutputs(store.db, runId)).toBeUndefined();
      await insertRunOutputs(store.db, runId, { files: [{ path: "a" }] });
      expect(await maybeRunOutputs(store.db, runId)).toEqual({ files: [{ path: "a" }] });
    });
  });
}
