import { describe, expect, test } from "vitest";
import { backendFixture, begun, type OpenBackend } from "#backends/backend-fixture";
import { systemRandom } from "#plumbing/ids";
import { JOB_FEATURES } from "#workflow/capabilities";

/** A submitted job may not have started yet. */
const CANCELLED = ["cancelled", "not-started"];

/** The promises about a job's state, for every backend, including test backends, which run no command. */
export function backendStates(name: string, open: OpenBackend): void {
  describe(`${name} keeps its word about the state of a job`, () => {
    const the = backendFixture(open);

    test("a backend has a name, and tells whether jobs are bound to the host", () => {
      expect(the.backend.name).toMatch(/^[A-Z]/);
      expect(typeof the.backend.isHostBound).toBe("boolean");
    });

    test("a backend tells the name for specifications, and the provided features", () => {
      const { computeBackends, provides } = the.backend.capabilities;
      expect(computeBackends).not.toEqual([]);
      for (const word of computeBackends) expect(word).toMatch(/^[a-z]+$/);
      expect(JOB_FEATURES).toEqual(expect.arrayContaining([...provides()]));
    });

    test("the host token is equal for the next server of the host", async () => {
      expect(the.backend.hostToken).not.toBe("");
      expect((await the.reopen()).backend.hostToken).toBe(the.backend.hostToken);
    });

    test("an unknown job with the token of another place is lost and never starts, if only that place can see its jobs", async () => {
      const job = { ...(await the.held()), hostToken: "of another host" };
      const state = await begun(the.backend, job);
      if (!the.losesOtherTokens) return expect(state).toMatchObject({ status: "running" });
      expect(state).toMatchObject({ status: "ended", end: { reason: "lost", exitCode: null } });
      expect(await the.backend.submit({ ...job, hostToken: the.backend.hostToken })).toEqual(state);
    });

    test("the outside name is equal in all reports", async () => {
      const [job, other] = [await the.held(), await the.held()];
      const { outsideId } = await the.backend.submit(job);
      const { outsideId: otherOutsideId } = await the.backend.submit(other);
      if (outsideId !== undefined) expect(otherOutsideId).not.toBe(outsideId);
      const next = await the.reopen();
      expect((await next.backend.submit(job)).outsideId).toBe(outsideId);
      await the.finish(job, 0);
      await the.ends.of(job.id);
      expect((await the.backend.submit(job)).outsideId).toBe(outsideId);
      expect(the.ends.told(job.id).every((state) => state.outsideId === outsideId)).toBe(true);
    });

    test("a reachable backend is not away", async () => {
      await the.backend.submit(await the.held());
      expect(the.backend.away()).toBeUndefined();
    });

    test("a backup has nothing of an unknown job", async () => {
      for (const endCounts of [true, false])
        expect(await the.backend.export(systemRandom.uuid(), { endCounts })).toEqual([]);
    });

    test("a job runs to its end, and the end is reported once", async () => {
      const job = await the.held();
      expect(await begun(the.backend, job)).toMatchObject({ status: "running" });
      expect(the.backend.runningJobs()).toBe(1);
      await the.finish(job, 3);
      const end = await the.ends.of(job.id);
      expect(end).toMatchObject({ reason: "exited", exitCode: 3 });
      expect(end.endedAtMs).toBeGreaterThanOrEqual(end.startedAtMs!);
      expect(the.backend.runningJobs()).toBe(0);
    });

    test("submitting a known id returns its state and starts nothing, even twice in parallel", async () => {
      const job = await the.held();
      const states = await Promise.all([begun(the.backend, job), begun(the.backend, job)]);
      expect(states).toMatchObject([{ status: "running" }, { status: "running" }]);
      expect(await the.backend.submit(job)).toMatchObject({ status: "running" });
      await the.finish(job, 0);
      const end = await the.ends.of(job.id);
      expect(await the.backend.submit(job)).toMatchObject({ status: "ended", end });
      expect(await the.backend.submit(job)).toMatchObject({ status: "ended", end });
    });

    test("a removed listener gets nothing more", async () => {
      const heard: string[] = [];
      const unwatch = the.backend.watch((id, { status }) => void (status === "ended" && heard.push(id)));
      const [one, other] = [await the.held(), await the.held()];
      await the.backend.submit(one);
      await the.backend.submit(other);
      await the.finish(one, 0);
      await the.ends.of(one.id);
      unwatch();
      await the.finish(other, 0);
      await the.ends.of(other.id);
      expect(heard).toEqual([one.id]);
    });

    test("a job outlives the server: the next server finds the job and gets the end", async () => {
      const job = await the.held();
      await the.backend.submit(job);
      await the.backend.close();
      const next = await the.reopen();
      expect(await begun(next.backend, job)).toMatchObject({ status: "running" });
      await the.finish(job, 5);
      expect(await next.ends.of(job.id)).toMatchObject({ reason: "exited", exitCode: 5 });
    });

    test("a job that ended while no server was running has ended for every later server", async () => {
      const job = await the.held();
      await the.backend.submit(job);
      await the.finish(job, 4);
      const end = await the.ends.of(job.id);
      await the.backend.close();
      const next = await the.reopen();
      expect(await next.backend.submit(job)).toMatchObject({ status: "ended", end });
      expect(await next.backend.cancel(job)).toEqual(end);
    });

    test("a cancelled running job has ended when the call returns, for every server", async () => {
      const job = await the.held();
      await the.backend.submit(job);
      const end = await the.backend.cancel(job);
      expect(CANCELLED).toContain(end.reason);
      expect(await the.ends.of(job.id)).toEqual(end);
      expect(await the.backend.cancel(job)).toEqual(end);
      expect(await the.backend.submit(job)).toMatchObject({ status: "ended", end });
      const next = await the.reopen();
      expect(await next.backend.submit(job)).toMatchObject({ status: "ended", end });
    });

    test("a later server can cancel a job of an earlier server", async () => {
      const job = await the.held();
      await the.backend.submit(job);
      await the.backend.close();
      const next = await the.reopen();
      const end = await next.backend.cancel(job);
      expect(CANCELLED).toContain(end.reason);
      expect(await next.backend.submit(job)).toMatchObject({ status: "ended", end });
    });

    test("a job cancelled before the submission never starts", async () => {
      const job = await the.held();
      const end = await the.backend.cancel(job);
      expect(end).toMatchObject({ reason: "not-started", exitCode: null, startedAtMs: null });
      expect(await the.backend.submit(job)).toMatchObject({ status: "ended", end });
    });

    test("cancelling an ended job returns the end", async () => {
      const job = await the.held();
      await the.backend.submit(job);
      await the.finish(job, 4);
      const end = await the.ends.of(job.id);
      expect(await the.backend.cancel(job)).toEqual(end);
    });

    test("ending the leftovers of other jobs does not affect a running one", async () => {
      const [job, other] = [await the.held(), await the.held()];
      await begun(the.backend, job);
      await the.backend.endLeftovers([other.id, systemRandom.uuid()]);
      await the.backend.endLeftovers([]);
      expect(await the.backend.submit(job)).toMatchObject({ status: "running" });
    });

    test("an unknown job has no log", async () => {
      expect(String(await the.backend.readLog(systemRandom.uuid(), 0, 10))).toBe("");
      expect(await the.backend.logSize(systemRandom.uuid())).toBe(0);
    });

    test("after close no state is reported", async () => {
      const heard: string[] = [];
      the.backend.watch((id) => void heard.push(id));
      const job = await the.held();
      await the.backend.submit(job);
      await the.backend.close();
      heard.length = 0;
      const next = await the.reopen();
      await next.backend.submit(job);
      await the.finish(job, 0);
      await next.ends.of(job.id);
      expect(heard).toEqual([]);
    });
  });
}
