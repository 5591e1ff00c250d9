import { afterAll, describe, expect, test } from "vitest";
import { createEventSweep, createRunSweep } from "#operations/runs/old-runs";
import { deleteUnlessLive } from "#operations/runs/delete-run";
import { previewRetention } from "#operations/runs/preview-retention";
import { runEvents } from "#store/events/run-events";
import { maybeRun, oneRun } from "#store/runs/runs";
import { apiFixture } from "../../support/api-fixture.ts";
import { movableClock } from "../../support/fakes/movable-clock.ts";
import { ALL, reuseFixture, stepsOf } from "../../support/scenarios/reuse-fixture.ts";
import { changeStatus, createRun, serial, T, untilStatus } from "../../support/run-rows.ts";
import { withVerbs } from "../../support/fakes/with-verbs.ts";

/** Runs that ended long ago: deleted with `--keep-runs`, emptied with `--keep-events`. */
const fixture = await reuseFixture();
afterAll(() => fixture.close());
const { api, ada, db } = fixture;
const DAY_MS = 86_400_000;

const inDays = (days: number) => {
  const { clock } = api.operations;
  return { ...api.operations, clock: { ...clock, now: () => clock.now() + days * DAY_MS } };
};
const statusOf = async (id: string) => (await maybeRun(db, id))!.status;
const get = async (id: string, what: string) =>
  (await api.inject(`/api/workflows/${id}/${what}?${T(ada)}`)).json();

const tagged = async (id: string, payload: object) =>
  api.inject({ method: "PUT", url: `/api/workflows/${id}/notes?${T(ada)}`, payload });

describe("a run that ended longer ago than runs are kept", () => {
  const sweep = (days: number, context = inDays(days)) => createRunSweep(context, 30 * DAY_MS)();

  test("is deleted with all files, and other runs stay", async () => {
    const old = await fixture.ran();
    const never = await fixture.created(fixture.chain());
    const output = await fixture.fileOf(old, "out/plot");
    expect(await sweep(29)).toBe(0);
    expect(await fixture.isThere(output)).toBe(true);
    expect(await sweep(31)).toBe(1);
    expect(await fixture.isThere(output)).toBe(false);
    expect([await statusOf(old), await statusOf(never.id)]).toEqual(["deleted", "created"]);
    expect(await sweep(31)).toBe(0);
  });

  test("stays while its owner keeps it by a tag, and is not in the preview", async () => {
    const id = await fixture.ran();
    const other = await fixture.ran();
    await tagged(id, { add_tags: ["keep"] });
    const preview = async () => {
      const context = { ...inDays(0), runSettings: { keep: { runsMs: 30 * DAY_MS } } };
      const { deletions } = await previewRetention(context, inDays(31).clock.now());
      return deletions.map(({ runId }) => runId);
    };
    expect(await preview()).toEqual([other]);
    expect(await sweep(31)).toBe(1);
    expect([await statusOf(id), await statusOf(other)]).toEqual(["finished", "deleted"]);
    expect(await deleteUnlessLive(inDays(31), await oneRun(db, id), "retention")).toBe("finished");
    await tagged(id, { remove_tags: ["keep"] });
    expect(await sweep(31)).toBe(1);
    expect(await statusOf(id)).toBe("deleted");
  });

  test("leaves the files to sharing runs, and deletes no live run", async () => {
    const [first, output] = await fixture
      .ran()
      .then(async (id) => [id, await fixture.fileOf(id, "out/plot")]);
    const hanging = fixture.chain();
    stepsOf(hanging)[2]!.commands = ["sleep 1000"];
    const body = { restart: true, reana_specification: hanging };
    const url = `/api/workflows/${first}/start?${T(ada)}`;
    const second = (await api.inject({ method: "POST", url, payload: body })).json().workflow_id as string;
    await untilStatus(api, ada, second, "running");
    expect(await sweep(31)).toBe(0);
    expect([await statusOf(first!), await statusOf(second)]).toEqual(["finished", "running"]);
    await changeStatus(api, ada, second, "stop");
    await untilStatus(api, ada, second, "stopped");
    await db
      .updateTable("runs")
      .set({ stopped_at: inDays(9).clock.now() })
      .where("id", "=", second)
      .execute();
    expect(await sweep(31)).toBe(1);
    expect([await statusOf(first!), await statusOf(second)]).toEqual(["deleted", "stopped"]);
    expect(await fixture.isThere(output!)).toBe(true);
    expect(await sweep(40)).toBe(1);
    expect(await fixture.isThere(output!)).toBe(false);
  });

  test("does not keep others from being deleted if its files cannot be removed", async () => {
    const ids = [await fixture.ran(), await fixture.ran()];
    let failures = 1;
    const workspaces = withVerbs(api.operations.workspaces, (workspace) => ({
      remove: () => (failures-- > 0 ? Promise.reject(new Error("These files stay.")) : workspace.remove()),
    }));
    await expect(sweep(31, { ...inDays(31), workspaces })).rejects.toThrow("These files stay.");
    expect(await Promise.all(ids.map(statusOf))).toEqual(["deleted", "deleted"]);
  });
});

describe("a run that ended longer ago than events are kept", () => {
  const sweep = (days: number) => createEventSweep(inDays(days), 30 * DAY_MS)();
  const told = async (id: string) =>
    Promise.all(["logs", "status", "failure", "graph", "jobs", "results"].map((what) => get(id, what)));
  const bodiesOf = async (id: string) =>
    (await runEvents(db, id)).filter(({ body }) => JSON.stringify(body) !== "{}").map(({ kind }) => kind);

  test("keeps the runs until the owner removes the tag", async () => {
    const id = await fixture.ran();
    await tagged(id, { add_tags: ["keep"] });
    await sweep(31);
    expect(await bodiesOf(id)).toContain("job-ended");
    await tagged(id, { remove_tags: ["keep"] });
    await sweep(31);
    expect(await bodiesOf(id)).toEqual(["stamped"]);
  });

  test("shows everything that it did before, and a restart takes over as much", async () => {
    const id = await fixture.ran();
    await sweep(29);
    const [before, plan, bodies] = [await told(id), await fixture.planOf(id), await bodiesOf(id)];
    expect(bodies).toContain("job-ended");
    await sweep(31);
    expect(await bodiesOf(id)).toEqual(["stamped"]);
    expect([await told(id), await fixture.planOf(id)]).toEqual([before, plan]);
    expect(plan.taken_over).toBe(ALL.length);
    expect((await fixture.restart(id)).steps).toEqual([]);
  });

  test("keeps the last lines of the job that failed", async () => {
    const failing = fixture.chain();
    stepsOf(failing)[1]!.commands = ["exit 3"];
    const id = await fixture.ran(failing, "failed");
    const row = db
      .selectFrom("jobs")
      .select("ended_seq")
      .where("run_id", "=", id)
      .where("status", "=", "failed");
    const { ended_seq: seq } = await row.executeTakeFirstOrThrow();
    const body = JSON.stringify({ kind: "job-ended", lastLines: ["No such file."] });
    await db
      .updateTable("run_events")
      .set({ body })
      .where("run_id", "=", id)
      .where("seq", "=", seq)
      .execute();
    const before = await get(id, "failure");
    expect(JSON.stringify(before)).toContain("No such file.");
    await sweep(31);
    expect(await get(id, "failure")).toEqual(before);
    expect((await bodiesOf(id)).toSorted()).toEqual(["job-ended", "stamped"]);
  });
});

describe("a server that keeps neither for ever", () => {
  test("looks for old runs by itself", async () => {
    const clock = movableClock();
    const own = await apiFixture({
      parts: { clock, runSettings: { keep: { runsMs: 2 * DAY_MS, eventsMs: DAY_MS } } },
    });
    try {
      const bob = await own.makeUser();
      const run = await createRun(own, bob, "w", serial(["true"]));
      await changeStatus(own, bob, run.id, "start");
      own.backend.end(await own.backend.startedJob(0));
      await untilStatus(own, bob, run.id, "finished");
      const until = async (is: (row: { status: string; emptied_at: number | null }) => boolean) => {
        const row = own.operations.db.selectFrom("runs").select(["status", "emptied_at"]);
        while (!is(await row.where("id", "=", run.id).executeTakeFirstOrThrow()))
          await new Promise((resolve) => setImmediate(resolve));
      };
      clock.pass(DAY_MS + 1000);
      await until(({ status, emptied_at: at }) => status === "finished" && at !== null);
      clock.pass(DAY_MS);
      await until(({ status }) => status === "deleted");
    } finally {
      await own.close();
    }
  });
});
