import { beforeEach, describe, expect, test } from "vitest";
import { type Connection, transaction } from "#store/database/database";
import {
  claimNotification,
  type Delivery,
  dueNotifications,
  maybeNextDelivery,
  recordEmpty,
  recordOutcome,
} from "#store/notifications/deliveries";
import {
  deleteNotification,
  insertNotification,
  maybeNotification,
  type NewNotification,
  notificationsOf,
} from "#store/notifications/notifications";
import { moveRun } from "#store/runs/move-run";
import { storeFixture } from "#store/store-fixture";
import { addRun, addUser, DIALECTS } from "#store/store-suite";

for (const dialect of DIALECTS) {
  describe(`The outbox in the store on ${dialect.name}`, () => {
    const store = storeFixture(dialect);
    let db: Connection;
    let userId: string;

    beforeEach(async () => {
      ({ db } = store);
      userId = (await addUser(db)).id;
    });

    async function add(id: string, more: Partial<NewNotification> = {}): Promise<void> {
      await insertNotification(db, {
        id,
        userId,
        runId: null,
        receiver: "https://example.org/",
        statuses: ["queued", "finished"],
        sealed: "sealed",
        createdAtMs: 1,
        ...more,
      });
    }

    const due = (nowMs = 10_000) => dueNotifications(db, { nowMs, most: 10 });
    const next = async (id: string) => (await maybeNextDelivery(db, id)) as Delivery;
    const one = (id: string) => maybeNotification(db, { userId, id });

    test("holds a message for each status that a notification reports, the oldest first", async () => {
      await add("all");
      await add("none", { statuses: ["failed"] });
      await addUser(db);
      const first = await addRun(db, userId, { status: "finished" });
      const second = await addRun(db, userId, { status: "queued" });
      expect((await due()).map(({ id }) => id)).toEqual(["all"]);
      const seen: string[] = [];
      for (let delivery = await next("all"); delivery !== undefined; delivery = await next("all")) {
        seen.push(`${delivery.runId} ${delivery.status}`);
        await recordOutcome(db, delivery, { kind: "delivered", atMs: 5000 });
      }
      expect(seen.toSorted()).toEqual(
        [`${first.id} queued`, `${first.id} finished`, `${second.id} queued`].toSorted(),
      );
      expect(seen.indexOf(`${first.id} queued`)).toBeLessThan(seen.indexOf(`${first.id} finished`));
      expect(await one("all")).toMatchObject({ dueAtMs: null, deliveredAtMs: 5000, failures: 0 });
    });

    test("gives a notification to one server at a time", async () => {
      await add("a");
      await addRun(db, userId, { status: "queued" });
      const [found] = await due();
      expect(await claimNotification(db, found!, 60_000)).toBe(true);
      expect(await claimNotification(db, found!, 60_000)).toBe(false);
      expect(await due()).toEqual([]);
      // The server died: another one finds the message after a minute.
      expect((await due(60_000)).map(({ id }) => id)).toEqual(["a"]);
    });

    test("keeps the pause after a failure, however many messages come", async () => {
      await add("a");
      const run = await addRun(db, userId, { status: "queued" });
      const failed = { kind: "failed", problem: "No.", againAtMs: 20_000, giveUpBeforeMs: 0 } as const;
      await recordOutcome(db, await next("a"), failed);
      await addRun(db, userId, { status: "queued" });
      expect(await due()).toEqual([]);
      expect(await one("a")).toMatchObject({ dueAtMs: 20_000, failures: 1, problem: "No." });
      await recordOutcome(db, await next("a"), { ...failed, giveUpBeforeMs: 3000 });
      expect((await notificationsOf(db, userId))[0]).toMatchObject({
        dueAtMs: null,
        failures: 2,
        waiting: 0,
      });
      await transaction(db, (connection) =>
        moveRun(connection, { runId: run.id, to: "stopped", by: "user", atMs: 3000 }),
      );
      expect(await due()).toEqual([]);
    });

    test("is empty of a notification and of a run that are deleted", async () => {
      const run = await addRun(db, userId, { status: "stopped" });
      const finished = await addRun(db, userId, { status: "finished" });
      await add("all", { statuses: ["stopped"] });
      await add("one", { runId: finished.id });
      const queued = await addRun(db, userId, { status: "queued" });
      await add("other", { runId: queued.id, statuses: ["stopped"] });
      for (const [runId, to] of [
        [queued.id, "stopped"],
        [queued.id, "deleted"],
        [finished.id, "deleted"],
        [run.id, "deleted"],
      ] as const)
        await transaction(db, (connection) => moveRun(connection, { runId, to, by: "user", atMs: 4000 }));
      expect((await notificationsOf(db, userId)).map(({ id, waiting }) => [id, waiting])).toEqual([
        ["all", 0],
      ]);
      expect((await due()).map(({ id }) => id)).toEqual(["all"]);
      await recordEmpty(db, "all", 5000);
      expect(await due()).toEqual([]);
      await addRun(db, userId, { status: "stopped" });
      expect(await deleteNotification(db, { userId: "other", id: "all" })).toBe(false);
      expect(await deleteNotification(db, { userId, id: "all" })).toBe(true);
      expect(await notificationsOf(db, userId)).toEqual([]);
    });

    test("an outcome of a removed notification changes no row", async () => {
      await add("a");
      await addRun(db, userId, { status: "queued" });
      const delivery = await next("a");
      await deleteNotification(db, { userId, id: "a" });
      await recordOutcome(db, delivery, { kind: "delivered", atMs: 1 });
      await recordEmpty(db, "a", 1);
      expect(await one("a")).toBeUndefined();
    });
  });
}
