import { expect, test } from "vitest";
import { JobStateCache } from "#operations/watch/progress/job-state-cache";
import { insertRunEvent } from "#store/events/run-events";
import { addUser, DIALECTS, newRun, insertJob, endJob, alterJobs } from "#store/store-suite";
import { insertRun, oneRun } from "#store/runs/runs";

const PLACE = { backend: "Local", hostId: null, hostToken: "b", queueReason: null };

test.each(DIALECTS)("how jobs stand is read again when something has changed, on $name", async (dialect) => {
  const { db, close } = await dialect.open();
  const { id: ownerId } = await addUser(db);
  const run = newRun(ownerId);
  const { id } = run;
  await insertRun(db, run);
  const cache = new JobStateCache(db);
  const now = async () => cache.of(await oneRun(db, id));
  const words = async () => (await now()).newest.map(({ key, status }) => `${key} ${status}`);
  const happen = (seq: number) => insertRunEvent(db, id, { seq, kind: "k", body: {}, log: "", atMs: 1 });
  const submit = (key: string) =>
    insertJob(db, {
      ...PLACE,
      id: `${id}-${key}`,
      runId: id,
      ordinal: Number(key),
      key,
      attempt: 1,
      name: "",
      command: "c",
      node: "0",
      image: null,
      createdAtMs: 1,
      status: "created",
    });
  const admit = (key: string) =>
    alterJobs(db, id, { admitted: [{ ...PLACE, ids: [`${id}-${key}`], atMs: 2 }] });

  expect(await words()).toEqual([]);
  await happen(0);
  await submit("0");
  await submit("1");
  expect(await words()).toEqual(["0 created", "1 created"]);
  expect(await now()).toBe(await now());
  await admit("0");
  expect(await words()).toEqual(["0 running", "1 created"]);
  await admit("1");
  expect(await words()).toEqual(["0 running", "1 running"]);
  await happen(1);
  await endJob(db, `${id}-0`, { reason: "exited", exitCode: 0, startedAtMs: 1, endedAtMs: 2 }, 1);
  await submit("2");
  await admit("2");
  expect(await words()).toEqual(["0 finished", "1 running", "2 running"]);
  await db.updateTable("runs").set({ status: "failed" }).where("id", "=", id).execute();
  await endJob(db, `${id}-1`, { reason: "exited", exitCode: 0, startedAtMs: 1, endedAtMs: 2 }, 1);
  await endJob(db, `${id}-2`, { reason: "exited", exitCode: 1, startedAtMs: 1, endedAtMs: 2 }, 1);
  expect(await words()).toEqual(["0 finished", "1 finished", "2 failed"]);
  expect(await now()).toBe(await now());
  await close();
});
