import { describe, expect, test } from "vitest";
import type { Connection } from "#store/database/database";
import { emptyRunEvents, engineLog, insertRunEvents, runEvents } from "#store/events/run-events";
import { maybeSnapshot, putSnapshot } from "#store/events/run-snapshots";
import { markEmptied, maybeRunToEmpty, runsToDelete } from "#store/runs/old-runs";
import { storeFixture } from "#store/store-fixture";
import { addRun, addUser, DIALECTS } from "#store/store-suite";
import { RUN_STATUSES } from "#workflow/run/run-status";

/** `addRun` sets the end of each run to 2000. */
const ENDED_AT_MS = 2000;

for (const dialect of DIALECTS) {
  describe(`Old runs in the store on ${dialect.name}`, () => {
    const store = storeFixture(dialect);

    const idsToDelete = async (endedBeforeMs: number, max = 10) =>
      (await runsToDelete(store.db, { endedBeforeMs, max })).map(({ id }) => id);

    test("are those that ended before a time, the oldest first, and a few at a time", async () => {
      const { id: ownerId } = await addUser(store.db);
      const ids = new Map<string, string>();
      for (const status of RUN_STATUSES) ids.set(status, (await addRun(store.db, ownerId, { status })).id);
      await endedAt(store.db, ids.get("failed")!, 1500);
      expect(await idsToDelete(ENDED_AT_MS)).toEqual([ids.get("failed")]);
      const all = await idsToDelete(ENDED_AT_MS + 1);
      expect(all[0]).toBe(ids.get("failed"));
      expect(all.toSorted()).toEqual(
        ["finished", "failed", "stopped"].map((status) => ids.get(status)!).toSorted(),
      );
      expect(await idsToDelete(ENDED_AT_MS + 1, 1)).toEqual([ids.get("failed")]);
    });

    test("stay while another run of their workspace is live", async () => {
      const { id: ownerId } = await addUser(store.db);
      const { id, workspaceId } = await addRun(store.db, ownerId, { status: "finished" });
      const live = await addRun(store.db, ownerId, { status: "running", workspaceId });
      expect(await idsToDelete(9000)).toEqual([]);
      await store.db
        .updateTable("runs")
        .set({ status: "finished", finished_at: 8999 })
        .where("id", "=", live.id)
        .execute();
      expect(await idsToDelete(9000)).toEqual([id, live.id]);
    });

    test("are emptied once, with their snapshot, and keep numbers, kinds, logs and what is to be kept", async () => {
      const { id: ownerId } = await addUser(store.db);
      const { id } = await addRun(store.db, ownerId, { status: "finished" });
      const live = await addRun(store.db, ownerId, { status: "running" });
      const event = (seq: number, kind: string) => ({ seq, kind, body: { seq }, log: `${seq}\n`, atMs: seq });
      const kinds = ["start", "stamped", "job-ended", "job-ended", "ended"];
      for (const run of [id, live.id])
        await insertRunEvents(
          store.db,
          run,
          kinds.map((kind, seq) => event(seq, kind)),
        );
      const snapshot = { seq: 3, engineVersion: 1, jobCount: 0, state: "[]", outstanding: "{}" };
      for (const run of [id, live.id]) await putSnapshot(store.db, run, snapshot);

      expect(await maybeRunToEmpty(store.db, ENDED_AT_MS)).toBeUndefined();
      expect(await maybeRunToEmpty(store.db, ENDED_AT_MS + 1)).toBe(id);
      const kept = { keptKinds: ["stamped"], keptSeqs: [3] };
      await emptyRunEvents(store.db, id, { from: 2, count: 2, ...kept });
      const bodies = async (run: string) => (await runEvents(store.db, run)).map(({ body }) => body);
      expect(await bodies(id)).toEqual([{ seq: 0 }, { seq: 1 }, {}, { seq: 3 }, { seq: 4 }]);
      await emptyRunEvents(store.db, id, { from: 0, count: 5, ...kept });
      expect(await bodies(id)).toEqual([{}, { seq: 1 }, {}, { seq: 3 }, {}]);
      await emptyRunEvents(store.db, id, { from: 0, count: 5, keptKinds: ["stamped"], keptSeqs: [] });
      expect(await bodies(id)).toEqual([{}, { seq: 1 }, {}, {}, {}]);
      await markEmptied(store.db, id, 5000);

      expect(await maybeRunToEmpty(store.db, 9000)).toBeUndefined();
      expect((await runEvents(store.db, id)).map(({ seq, kind }) => [seq, kind])).toEqual([
        ...kinds.entries(),
      ]);
      expect(await engineLog(store.db, id)).toBe("0\n1\n2\n3\n4\n");
      expect(await maybeSnapshot(store.db, id)).toBeUndefined();
      expect(await bodies(live.id)).toEqual(kinds.map((_, seq) => ({ seq })));
      expect(await maybeSnapshot(store.db, live.id)).toEqual(snapshot);
    });
  });
}

async function endedAt(db: Connection, id: string, atMs: number): Promise<void> {
  await db.updateTable("runs").set({ finished_at: atMs }).where("id", "=", id).execute();
}
