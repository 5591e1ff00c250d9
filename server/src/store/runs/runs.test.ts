import { beforeEach, describe, expect, test } from "vitest";
import { type Connection, transaction } from "#store/database/database";
import { addUser, addRun, DIALECTS, newRun } from "#store/store-suite";
import { storeFixture } from "#store/store-fixture";
import { changeJobs } from "#store/jobs/change-jobs";
import { moveRun } from "#store/runs/move-run";
import {
  insertRun,
  maybeRun,
  maybeRunByName,
  oneDefinition,
  oneRun,
  requestStop,
  setFailure,
  setStartOptions,
  runsOfName,
} from "#store/runs/runs";
import { type Actor, RUN_STATUSES, TRANSITIONS } from "#workflow/run/run-status";

for (const dialect of DIALECTS) {
  describe(`Runs in the store on ${dialect.name}`, () => {
    const store = storeFixture(dialect);
    let db: Connection;

    beforeEach(() => void ({ db } = store));

    describe("runs", () => {
      test("are read as they were written", async () => {
        const { id: ownerId } = await addUser(db);
        const specification = {
          workflow: { type: "serial", specification: { steps: [{ commands: ["echo 'é\u0000\u2028'"] }] } },
          inputs: { parameters: { n: 1.5, list: [null, true, {}] } },
        } as const;
        const run = newRun(ownerId, { specification, launcherUrl: "https://example.org/a.git" });
        expect(await insertRun(db, run)).toEqual({ runMajor: 1 });
        expect(await oneRun(db, run.id)).toEqual({
          seq: expect.any(Number) as number,
          id: run.id,
          ownerId,
          workspaceId: run.workspaceId,
          name: "w",
          runMajor: 1,
          runMinor: 0,
          status: "created",
          language: "serial",
          launcherUrl: "https://example.org/a.git",
          doi: null,
          jobsTotal: 0,
          jobsRunning: 0,
          jobsFinished: 0,
          jobsFailed: 0,
          failure: null,
          failedJob: null,
          cpuMs: 0,
          createdAtMs: 1000,
          queuedAtMs: null,
          startedAtMs: null,
          finishedAtMs: null,
          stoppedAtMs: null,
          stopRequestedAtMs: null,
          heldBy: null,
          waitingFor: null,
        });
        const definition = {
          specification,
          inputParameters: {},
          operationalOptions: {},
          restart: null,
          kept: {},
        };
        expect(await oneDefinition(db, run.id)).toEqual(definition);
      });

      test("an unknown run is absent, or an error if required", async () => {
        expect(await maybeRun(db, "unknown")).toBeUndefined();
        await expect(oneRun(db, "unknown")).rejects.toThrow("no run unknown");
        await expect(oneDefinition(db, "unknown")).rejects.toThrow("no definition");
      });

      test("runs are numbered for each owner and name, and a deleted one's number is not given again", async () => {
        const [ada, bob] = [await addUser(db), await addUser(db)];
        const numberOf = async (ownerId: string, name: string) =>
          (await addRun(db, ownerId, { name })).runMajor;
        expect(await numberOf(ada.id, "fit")).toBe(1);
        await addRun(db, ada.id, { name: "fit", status: "deleted" });
        expect(await numberOf(ada.id, "fit")).toBe(3);
        expect(await numberOf(ada.id, "Fit")).toBe(1);
        expect(await numberOf(bob.id, "fit")).toBe(1);
      });

      test("a name leads to its newest run that is not deleted, or to the newest; with a number to that run", async () => {
        const { id: ownerId } = await addUser(db);
        const runs = [];
        for (const status of ["created", "finished", "deleted"] as const) {
          runs.push(await addRun(db, ownerId, { status }));
        }
        const [first, second, third] = runs;
        expect(await maybeRunByName(db, ownerId, "w")).toEqual(second);
        expect(await maybeRunByName(db, ownerId, "w", { major: 3, minor: 0 })).toEqual(third);
        expect(await maybeRunByName(db, ownerId, "w", { major: 1, minor: 0 })).toEqual(first);
        expect(await maybeRunByName(db, ownerId, "w", { major: 1, minor: 1 })).toBeUndefined();
        expect(await maybeRunByName(db, ownerId, "W")).toBeUndefined();
        expect(await maybeRunByName(db, (await addUser(db)).id, "w")).toBeUndefined();
        const gone = await addRun(db, ownerId, { name: "gone", status: "deleted" });
        expect(await maybeRunByName(db, ownerId, "gone")).toEqual(gone);
        expect(await runsOfName(db, ownerId, "w")).toEqual([third, second, first]);
      });

      test("the options of the start are kept beside the specification", async () => {
        const { id: ownerId } = await addUser(db);
        const [run, other] = [await addRun(db, ownerId), await addRun(db, ownerId)];
        const retries = { most: 2, delayMs: 10, after: ["lost"] } as const;
        await setStartOptions(
          db,
          run.id,
          { n: 3 },
          { CACHE: "off" },
          { kept: { retries, mostOutstanding: 7 }, model: { steps: [1] } },
        );
        const changed = {
          inputParameters: { n: 3 },
          operationalOptions: { CACHE: "off" },
          kept: { retries, mostOutstanding: 7 },
          model: { steps: [1] },
        };
        expect(await oneDefinition(db, run.id)).toMatchObject(changed);
        await setStartOptions(db, run.id, {}, {});
        expect((await oneDefinition(db, run.id)).kept).toEqual({});
        expect(await oneDefinition(db, other.id)).toMatchObject({
          inputParameters: {},
          operationalOptions: {},
        });
      });

      test("the first request to stop is kept, and the last failure and total", async () => {
        const { id: ownerId } = await addUser(db);
        const { id } = await addRun(db, ownerId);
        await requestStop(db, id, 5);
        await requestStop(db, id, 6);
        await changeJobs(db, id, { expected: 4 });
        await setFailure(db, id, "It broke.");
        expect(await oneRun(db, id)).toMatchObject({
          stopRequestedAtMs: 5,
          jobsTotal: 4,
          failure: "It broke.",
        });
      });
    });

    describe("the one change of a status", () => {
      const ACTORS: readonly Actor[] = ["user", "scheduler", "runner"];

      test.each(RUN_STATUSES)("from %s: only what the table allows", async (from) => {
        const { id: ownerId } = await addUser(db);
        for (const to of RUN_STATUSES) {
          for (const by of ACTORS) {
            const before = await addRun(db, ownerId, { status: from });
            const isAllowed = TRANSITIONS.some(
              (row) => row.from === from && row.to === to && row.by.includes(by),
            );
            const isDone = await moveRun(db, { runId: before.id, to, by, atMs: 9000 });
            expect(`${from} to ${to} by ${by}: ${isDone}`).toBe(`${from} to ${to} by ${by}: ${isAllowed}`);
            const after = await oneRun(db, before.id);
            expect(after).toEqual(isDone ? { ...before, status: to, ...TIME_OF[to] } : before);
          }
        }
      });

      test("has no effect on an unknown run", async () => {
        expect(await moveRun(db, { runId: "unknown", to: "queued", by: "user", atMs: 1 })).toBe(false);
      });

      test("succeeds for one of two concurrent callers", async () => {
        const { id: ownerId } = await addUser(db);
        const { id } = await addRun(db, ownerId);
        const change = { runId: id, to: "queued", by: "user", atMs: 1 } as const;
        const ask = () => transaction(db, (connection) => moveRun(connection, change));
        expect((await Promise.all([ask(), ask(), ask()])).toSorted()).toEqual([false, false, true]);
      });

      const TIME_OF: Partial<Record<(typeof RUN_STATUSES)[number], object>> = {
        queued: { queuedAtMs: 9000 },
        running: { startedAtMs: 9000 },
        finished: { finishedAtMs: 9000 },
        failed: { finishedAtMs: 9000 },
        stopped: { stoppedAtMs: 9000 },
      };
    });
  });
}
