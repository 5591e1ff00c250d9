import { beforeEach, describe, expect, test } from "vitest";
import { forgetRerunEvidence, insertRerun, jobsToForget, maybeRerun } from "#store/runs/reruns";
import { insertRunResults, otherRunsIn, resultsOfRuns } from "#store/runs/run-results";
import { storeFixture } from "#store/store-fixture";
import { addUser, addRun, DIALECTS, newJob, insertJob } from "#store/store-suite";
import { moveRun } from "#store/runs/move-run";
import type { Run } from "#store/runs/runs";

for (const dialect of DIALECTS) {
  describe(`Runs and their files, in the store on ${dialect.name}`, () => {
    const store = storeFixture(dialect);
    let ownerId: string;

    beforeEach(async () => {
      ({ id: ownerId } = await addUser(store.db));
    });

    /** Inserts a finished run with a job. */
    async function ran(): Promise<Run> {
      const run = await addRun(store.db, ownerId, { status: "finished" });
      await insertJob(store.db, newJob(run.id, 0, { id: `job of ${run.id}`, key: "0.0" }));
      return run;
    }
    const jobOf = ({ id }: Run) => `job of ${id}`;
    const rerun = (run: Run, source: Run, previous: object | null = null) =>
      insertRerun(store.db, {
        runId: run.id,
        workspaceId: run.workspaceId,
        sourceWorkspaceId: source.workspaceId,
        previous,
      });
    const remove = ({ id }: Run) => moveRun(store.db, { runId: id, to: "deleted", by: "user", atMs: 1 });

    test("the results of a run are kept as they were recorded", async () => {
      const run = await ran();
      const files = [{ path: "a", bytes: 1, sha256: null, stamp: "s" }];
      expect(await resultsOfRuns(store.db, [run.id])).toEqual(new Map());
      await insertRunResults(store.db, run.id, { files, isCut: true });
      expect(await resultsOfRuns(store.db, [run.id])).toEqual(new Map([[run.id, { files, isCut: true }]]));
      expect(await otherRunsIn(store.db, run)).toEqual([]);
    });

    test("the source of a rerun is forgotten with its files", async () => {
      const [first, second] = [await ran(), await ran()];
      await rerun(second, first, { name: "w.1" });
      expect(await maybeRerun(store.db, first.id)).toBeUndefined();
      expect(await maybeRerun(store.db, second.id)).toEqual({ previous: { name: "w.1" } });
      await forgetRerunEvidence(store.db, second.workspaceId);
      expect(await maybeRerun(store.db, second.id)).toEqual({ previous: null });
    });

    const toForget = async (run: Run) => (await jobsToForget(store.db, run.workspaceId)).map(({ id }) => id);

    test("logs go with the last run that shows them, in whichever order runs are deleted", async () => {
      const [first, second, third] = [await ran(), await ran(), await ran()];
      await rerun(second, first);
      await rerun(third, second);
      await remove(first);
      expect(await toForget(first)).toEqual([]);
      await remove(third);
      expect(await toForget(third)).toEqual([jobOf(third)]);
      await remove(second);
      expect(await toForget(second)).toEqual([jobOf(second), jobOf(first)]);
    });
  });
}
