import { beforeEach, describe, expect, test } from "vitest";
import { type Connection, transaction } from "#store/database/database";
import {
  declareHostLost,
  listHosts,
  maybeSilentHost,
  mustEndJobs,
  noteJobsEnded,
  registerHost,
  renewHost,
  signOffHost,
} from "#store/hosts/hosts";
import { jobsGivenUp } from "#store/jobs/given-up-jobs";
import {
  checkLease,
  heldRunsToStop,
  holdsLease,
  LeaseLostError,
  maybeTakeLease,
  runsToTake,
  setWaitingFor,
} from "#store/hosts/leases";
import { addUser, addRun, DIALECTS, newJob, insertJob, endJob } from "#store/store-suite";
import { storeFixture } from "#store/store-fixture";
import { moveRun } from "#store/runs/move-run";
import { oneRun, requestStop } from "#store/runs/runs";

for (const dialect of DIALECTS) {
  describe(`A lease in the store on ${dialect.name}`, () => {
    const store = storeFixture(dialect);
    let db: Connection;
    let ownerId: string;
    let runId: string;

    beforeEach(async () => {
      ({ db } = store);
      ({ id: ownerId } = await addUser(db));
      ({ id: runId } = await addRun(db, ownerId, { status: "running" }));
      await registerHost(db, { id: "here", name: "here.example.org" });
      await registerHost(db, { id: "there", name: "there.example.org" });
    });

    const fallSilent = (hostId: string) =>
      db.updateTable("hosts").set({ seen_at: 5 }).where("id", "=", hostId).execute();
    const free = async (hostId: string) => (await runsToTake(db, hostId)).map((run) => run.id);

    test("of a free run is granted to one host alone", async () => {
      expect(await free("there")).toEqual([runId]);
      expect(await maybeTakeLease(db, runId, "here")).toEqual({ hostId: "here", epoch: 1 });
      expect(await maybeTakeLease(db, runId, "there")).toBeUndefined();
      expect(await free("there")).toEqual([]);
      expect(await free("here")).toEqual([runId]);
    });

    test.each(["created", "queued", "finished", "stopped", "deleted"] as const)(
      "a %s run cannot be taken",
      async (status) => {
        const { id } = await addRun(db, ownerId, { status });
        expect(await maybeTakeLease(db, id, "here")).toBeUndefined();
        expect(await free("here")).toEqual([runId]);
      },
    );

    test("a lease taken again ends the earlier lease", async () => {
      const old = (await maybeTakeLease(db, runId, "here"))!;
      const lease = (await maybeTakeLease(db, runId, "here"))!;
      expect(lease.epoch).toBe(2);
      await expect(transaction(db, (on) => checkLease(on, runId, old))).rejects.toThrow(LeaseLostError);
      await transaction(db, (on) => checkLease(on, runId, lease));
      expect([await holdsLease(db, runId, old), await holdsLease(db, runId, lease)]).toEqual([false, true]);
    });

    test("the runs of a host that is silent, or has signed off, are free; it may still write until they are taken", async () => {
      const old = (await maybeTakeLease(db, runId, "here"))!;
      await fallSilent("here");
      expect(await holdsLease(db, runId, old)).toBe(false);
      await checkLease(db, runId, old);
      expect(await maybeTakeLease(db, runId, "there")).toEqual({ hostId: "there", epoch: 2 });
      await expect(checkLease(db, runId, old)).rejects.toThrow("Another server drives the run");
      await signOffHost(db, "there");
      expect(await free("here")).toEqual([runId]);
    });

    test("a host with jobs of a run keeps the run until a person declares the host lost", async () => {
      await maybeTakeLease(db, runId, "here");
      await insertJob(db, newJob(runId, 0, { hostId: "here" }));
      await fallSilent("here");
      expect([await free("there"), await free("here")]).toEqual([[], [runId]]);
      expect(await maybeTakeLease(db, runId, "there")).toBeUndefined();
      expect([await declareHostLost(db, "here"), await declareHostLost(db, "nowhere")]).toEqual([
        true,
        false,
      ]);
      expect(await maybeTakeLease(db, runId, "there")).toEqual({ hostId: "there", epoch: 2 });
    });

    test("a run with jobs of a cluster goes only to a host with that cluster and that folder, while there is one", async () => {
      const register = (id: string, ...hostTokens: string[]) => {
        const places = hostTokens.map((hostToken) => ({ backend: "Slurm", hostToken }));
        return registerHost(db, { id, name: id, places });
      };
      await register("here", "folder 1");
      await register("there", "folder 2");
      await maybeTakeLease(db, runId, "here");
      await insertJob(db, newJob(runId, 0, { backend: "Slurm", hostId: null, hostToken: "folder 1" }));
      await fallSilent("here");
      expect([await free("there"), await free("here")]).toEqual([[], [runId]]);
      expect(await maybeTakeLease(db, runId, "there")).toBeUndefined();
      await register("there", "folder 2", "folder 1");
      expect(await free("there")).toEqual([runId]);
      await register("there", "folder 2");
      await declareHostLost(db, "here");
      expect(await maybeTakeLease(db, runId, "there")).toEqual({ hostId: "there", epoch: 2 });
    });

    test("a host that was declared lost and comes back has to register again", async () => {
      expect(await renewHost(db, "here")).toBe(true);
      await fallSilent("here");
      await declareHostLost(db, "here");
      expect(await renewHost(db, "here")).toBe(false);
      await registerHost(db, { id: "here", name: "renamed" });
      expect(await renewHost(db, "here")).toBe(true);
      expect(await maybeSilentHost(db, "here")).toBeUndefined();
      await fallSilent("here");
      expect(await maybeSilentHost(db, "here")).toEqual({ id: "here", name: "renamed", seenAtMs: 5 });
      expect([await maybeSilentHost(db, "nowhere"), await maybeSilentHost(db, null)]).toEqual([
        undefined,
        undefined,
      ]);
    });

    test("a host that is present is not declared lost, and a second declaration changes nothing", async () => {
      expect(await declareHostLost(db, "here")).toBe(false);
      expect(await mustEndJobs(db, "here")).toBe(false);
      await fallSilent("here");
      expect(await declareHostLost(db, "here")).toBe(true);
      const before = await listHosts(db);
      await db.updateTable("hosts").set({ declared_lost_at: 7 }).where("id", "=", "here").execute();
      expect(await declareHostLost(db, "here")).toBe(true);
      const after = await listHosts(db);
      expect(after).toEqual(
        before.map((host) => (host.id === "here" ? { ...host, declaredLostAtMs: 7 } : host)),
      );
    });

    test("hosts are listed with runs and jobs", async () => {
      await maybeTakeLease(db, runId, "here");
      await insertJob(db, newJob(runId, 0, { hostId: "here" }));
      await fallSilent("here");
      const none = { isPresent: true, declaredLostAtMs: null, runs: 0, jobs: 0 };
      expect(await listHosts(db)).toMatchObject([
        { id: "here", name: "here.example.org", seenAtMs: 5, isPresent: false, runs: 1, jobs: 1 },
        { id: "there", ...none },
      ]);
    });

    test("a run that was taken from a lost host stays with its new host when the lost one comes back", async () => {
      await maybeTakeLease(db, runId, "here");
      await insertJob(db, newJob(runId, 0, { hostId: "here" }));
      await fallSilent("here");
      await declareHostLost(db, "here");
      await maybeTakeLease(db, runId, "there");
      await registerHost(db, { id: "here", name: "here" });
      expect([await free("here"), await free("there")]).toEqual([[], [runId]]);
      expect(await maybeTakeLease(db, runId, "there")).toEqual({ hostId: "there", epoch: 3 });
    });

    test("a returning host learns of given-up jobs until the host has ended the jobs", async () => {
      await maybeTakeLease(db, runId, "here");
      const running = newJob(runId, 0, { hostId: "here" });
      const lost = newJob(runId, 1, { hostId: "here" });
      const done = newJob(runId, 2, { hostId: "here" });
      for (const job of [running, lost, done]) await insertJob(db, job);
      const at = { startedAtMs: 1, endedAtMs: 2 };
      await endJob(db, done.id, { reason: "exited", exitCode: 0, ...at }, 1);
      await endJob(db, lost.id, { reason: "lost", exitCode: null, ...at }, 2);
      const givenUp = async () => (await jobsGivenUp(db, "here")).map(({ id }) => id).toSorted();
      expect(await givenUp()).toEqual([lost.id]);
      await fallSilent("here");
      await declareHostLost(db, "here");
      await noteJobsEnded(db, "here");
      expect(await mustEndJobs(db, "here")).toBe(true);
      await maybeTakeLease(db, runId, "there");
      await registerHost(db, { id: "here", name: "here" });
      expect(await mustEndJobs(db, "here")).toBe(true);
      expect(await givenUp()).toEqual([lost.id, running.id].toSorted());
      expect(await jobsGivenUp(db, "there")).toEqual([]);
      await noteJobsEnded(db, "here");
      expect(await mustEndJobs(db, "here")).toBe(false);
    });

    test("the reason why a run waits is kept until the run is taken, and only while it is live", async () => {
      const lease = (await maybeTakeLease(db, runId, "here"))!;
      await setWaitingFor(db, { runId, lease }, "The disk is full.");
      expect((await oneRun(db, runId)).waitingFor).toBe("The disk is full.");
      const next = (await maybeTakeLease(db, runId, "here"))!;
      expect(await oneRun(db, runId)).toMatchObject({ waitingFor: null, heldBy: "here" });
      await moveRun(db, { runId, to: "failed", by: "runner", atMs: 3000 });
      await setWaitingFor(db, { runId, lease: next }, "Nothing.");
      expect((await oneRun(db, runId)).waitingFor).toBeNull();
    });

    test("a reason that comes after the lease was taken again, here or elsewhere, is not kept", async () => {
      const first = (await maybeTakeLease(db, runId, "here"))!;
      const second = (await maybeTakeLease(db, runId, "here"))!;
      await setWaitingFor(db, { runId, lease: first }, "The disk is full.");
      expect(await oneRun(db, runId)).toMatchObject({ waitingFor: null, heldBy: "here" });
      await signOffHost(db, "here");
      await maybeTakeLease(db, runId, "there");
      await setWaitingFor(db, { runId, lease: second }, "The disk is full.");
      expect(await oneRun(db, runId)).toMatchObject({ waitingFor: null, heldBy: "there" });
    });

    test("the runs to stop are those that the host holds and a user has asked to stop", async () => {
      const { id: other } = await addRun(db, ownerId, { status: "pending" });
      await maybeTakeLease(db, runId, "here");
      await maybeTakeLease(db, other, "there");
      expect(await heldRunsToStop(db, "here")).toEqual([]);
      for (const id of [runId, other]) await requestStop(db, id, 7);
      expect(await heldRunsToStop(db, "here")).toEqual([runId]);
    });
  });
}
