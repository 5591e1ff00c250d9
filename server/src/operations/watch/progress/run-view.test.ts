import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { lookAtRun, newsUpTo } from "#operations/watch/progress/run-view";
import type { Connection } from "#store/database/database";
import { insertRunEvent } from "#store/events/run-events";
import { addUser, DIALECTS, newRun, type StoreUnderTest, insertJob, endJob } from "#store/store-suite";
import { insertRun } from "#store/runs/runs";

for (const dialect of DIALECTS) {
  describe(`A run that is watched, on ${dialect.name}`, () => {
    let store: StoreUnderTest;
    let db: Connection;
    let id: string;
    let recorded: number;

    beforeEach(async () => {
      store = await dialect.open();
      db = store.db;
      recorded = 0;
      const { id: ownerId } = await addUser(db);
      const run = newRun(ownerId);
      id = run.id;
      await insertRun(db, run);
    });

    afterEach(() => store.close());

    async function happen(events: number): Promise<void> {
      for (const last = recorded + events; recorded < last; recorded += 1) {
        const event = { kind: "listed", body: {}, log: `${recorded}\n`, atMs: 1 };
        await insertRunEvent(db, id, { ...event, seq: recorded });
      }
    }

    test("has news without gaps for everybody, however much has happened between two looks", async () => {
      await happen(10);
      let view = await lookAtRun(db, id, undefined);
      for (const events of [0, 3, 250, 1, 99, 100, 101]) {
        await happen(events);
        view = await lookAtRun(db, id, view);
        expect(view.lastSeq).toBe(recorded - 1);
        for (const from of [0, recorded - 102, recorded - 101, recorded - 100, recorded - 99, recorded - 2]) {
          const seqs: number[] = [];
          for (let seq = Math.max(0, from); seq < recorded; seq = seqs.at(-1)! + 1) {
            seqs.push(...(await newsUpTo(db, view, seq)).map((event) => event.seq));
          }
          const first = Math.max(0, from);
          expect(seqs).toEqual(Array.from({ length: recorded - first }, (_, index) => first + index));
        }
        expect(await newsUpTo(db, view, recorded)).toEqual([]);
      }
    });

    test("is unchanged without news", async () => {
      await happen(1);
      const view = await lookAtRun(db, id, undefined);
      expect(await lookAtRun(db, id, view)).toBe(view);
      await happen(1);
      expect(await lookAtRun(db, id, view)).not.toBe(view);
    });

    test("reports open jobs, moved jobs, and the ends of other jobs at the event of the end", async () => {
      const place = { backend: "Local", hostId: null, hostToken: "b" };
      const job = (key: string, status: "created" | "running") => ({
        id: `${id}-${key}`,
        runId: id,
        ordinal: Number(key),
        key,
        attempt: 1,
        name: "n",
        command: "c",
        node: "0",
        image: null,
        createdAtMs: 1,
        status,
        ...place,
      });
      await happen(1);
      await insertJob(db, job("0", "running"));
      await insertJob(db, job("1", "created"));
      const before = await lookAtRun(db, id, undefined);
      expect([...before.open.values()].map(({ key, status }) => [key, status])).toEqual([
        ["0", "running"],
        ["1", "created"],
      ]);
      await happen(1);
      await endJob(db, `${id}-0`, { reason: "exited", exitCode: 4, startedAtMs: 1, endedAtMs: 2 }, 1);
      await insertJob(db, job("2", "running"));
      const view = await lookAtRun(db, id, before);
      expect([...view.open.keys()]).toEqual([`${id}-1`, `${id}-2`]);
      expect(view.moved.map(({ key }) => key)).toEqual(["2"]);
      const ended = {
        key: "0",
        attempt: 1,
        name: "n",
        label: "n",
        status: "failed",
        reason: "exited",
        exitCode: 4,
      };
      expect(view.recent).toEqual([{ seq: 1, atMs: 1, log: "1\n", ended: [{ ...ended, id: `${id}-0` }] }]);
    });
  });
}
