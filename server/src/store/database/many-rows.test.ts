import { describe, expect, test } from "vitest";
import { insertRunEvents, type RunEvent, runEvents } from "#store/events/run-events";
import { addRun, addUser, DIALECTS } from "#store/store-suite";
import { storeFixture } from "#store/store-fixture";

const TEXTS = ["a\0b", "half of a pair: \ud800", '"quoted", \\ and \u0010', "\u{1F600} é", ""];

for (const dialect of DIALECTS) {
  describe(`Rows that a statement is given on ${dialect.name}`, () => {
    const store = storeFixture(dialect);

    test("are stored alike, whether they come alone or together", async () => {
      const { id: ownerId } = await addUser(store.db);
      const [alone, together] = [await addRun(store.db, ownerId), await addRun(store.db, ownerId)];
      const events = TEXTS.map((text, seq): RunEvent => ({
        seq,
        kind: text,
        body: { text },
        log: text,
        atMs: 1_795_752_093_523 + seq,
      }));
      for (const event of events) await insertRunEvents(store.db, alone.id, [event]);
      await insertRunEvents(store.db, together.id, events);
      const stored = await runEvents(store.db, alone.id);
      expect(stored).toEqual(await runEvents(store.db, together.id));
      const read = (text: string) => text.toWellFormed();
      expect(stored.map(({ kind, log, atMs }) => [kind, log, atMs])).toEqual(
        events.map(({ kind, log, atMs }) => [read(kind), read(log), atMs]),
      );
    });
  });
}
