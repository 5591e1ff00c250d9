import { beforeEach, describe, expect, test } from "vitest";
import type { Connection } from "#store/database/database";
import { maybeFirstInQueue, queuedBefore, queueLengths } from "#store/runs/run-queue";
import { addUser, addRun, DIALECTS } from "#store/store-suite";
import { storeFixture } from "#store/store-fixture";
import { moveRun } from "#store/runs/move-run";
import { oneRun } from "#store/runs/runs";

for (const dialect of DIALECTS) {
  describe(`The queue in the store on ${dialect.name}`, () => {
    const store = storeFixture(dialect);
    let db: Connection;

    beforeEach(() => void ({ db } = store));

    const queue = async (ownerId: string, queuedAtMs: number) => {
      const { id } = await addRun(db, ownerId);
      await moveRun(db, { runId: id, to: "queued", by: "user", atMs: queuedAtMs });
      return id;
    };

    test("a user's first run is the one that has waited longest, and of equals the oldest", async () => {
      const { id: ownerId } = await addUser(db);
      const { id: other } = await addUser(db);
      await queue(other, 2000);
      const [late, early] = [await queue(ownerId, 2030), await queue(ownerId, 2010)];
      await queue(ownerId, 2010);
      expect((await maybeFirstInQueue(db, ownerId))?.id).toBe(early);
      expect(await queuedBefore(db, await oneRun(db, late))).toBe(2);
      expect(await queuedBefore(db, await oneRun(db, early))).toBe(0);
      expect(await maybeFirstInQueue(db, "nobody")).toBeUndefined();
    });

    test("runs queued in the same millisecond have different positions: the older run is first", async () => {
      const { id: ownerId } = await addUser(db);
      const ids = [await queue(ownerId, 2010), await queue(ownerId, 2010), await queue(ownerId, 2010)];
      const positions = ids.map(async (id) => queuedBefore(db, await oneRun(db, id)));
      expect(await Promise.all(positions)).toEqual([0, 1, 2]);
    });

    test("the queue lengths are those of users with queued runs, with their active runs", async () => {
      const [ada, bob, idle] = [await addUser(db), await addUser(db), await addUser(db)];
      for (const status of ["queued", "queued", "pending", "running", "finished"] as const) {
        await addRun(db, ada.id, { status });
      }
      await addRun(db, bob.id, { status: "queued" });
      await addRun(db, idle.id, { status: "running" });
      const all = await queueLengths(db);
      expect(all.toSorted((one, other) => other.queued - one.queued)).toEqual([
        { ownerId: ada.id, queued: 2, active: 2 },
        { ownerId: bob.id, queued: 1, active: 0 },
      ]);
    });
  });
}
