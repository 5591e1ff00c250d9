import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Connection, transaction } from "#store/database/database";
import { addUser, addRun, DIALECTS, newRun, type StoreUnderTest } from "#store/store-suite";
import { countRuns, listRuns, streamRuns, type RunFilter } from "#store/runs/run-list";
import { annotationsOf, setNote, setTags } from "#store/runs/run-notes";
import { insertRun, type Run } from "#store/runs/runs";
import { linesWith } from "#workflow/run/listed-parameters";
import { RUN_STATUSES, type RunStatus } from "#workflow/run/run-status";

for (const dialect of DIALECTS) {
  describe(`Lists of the store on ${dialect.name}`, () => {
    let store: StoreUnderTest;
    let db: Connection;
    let ownerId: string;
    /** All runs in order of creation. */
    const all: Run[] = [];

    beforeAll(async () => {
      all.length = 0;
      store = await dialect.open();
      db = store.db;
      ownerId = (await addUser(db)).id;
      const { id: strangerId } = await addUser(db);
      const names = ["fit", "Fit-50%", "a_b", "axb", "back\\slash"];
      for (let index = 0; index < 60; index += 1) {
        const status = RUN_STATUSES[(index * 5) % RUN_STATUSES.length]!;
        const createdAtMs = 1000 * index;
        all.push(await addRun(db, ownerId, { status, name: names[index % names.length]!, createdAtMs }));
        if (index % 10 === 0) await addRun(db, strangerId, { status });
      }
    });

    afterAll(() => store.close());

    /** Computes the matches of a filter independently of the store. */
    const expected = (filter: Omit<RunFilter, "userId">, newestFirst = true): Run[] => {
      const statuses = filter.statuses ?? RUN_STATUSES.filter((status) => status !== "deleted");
      const found = all.filter(
        ({ id, name, status, createdAtMs }) =>
          statuses.includes(status) &&
          createdAtMs >= (filter.createdSinceMs ?? 0) &&
          (filter.id ?? id) === id &&
          (filter.name ?? name) === name &&
          name.toLowerCase().includes((filter.nameContains ?? "").toLowerCase()),
      );
      return newestFirst ? found.toReversed() : found;
    };

    const streamed = async (filter: RunFilter, newestFirst: boolean): Promise<Run[]> => {
      const found: Run[] = [];
      for await (const piece of streamRuns(db, filter, newestFirst)) found.push(...piece);
      return found;
    };

    test("everything that is not deleted, the newest or the oldest first", async () => {
      const page = { offset: 0, limit: 1000 };
      expect(await listRuns(db, { userId: ownerId }, { ...page, newestFirst: true })).toEqual(expected({}));
      expect(await listRuns(db, { userId: ownerId }, { ...page, newestFirst: false })).toEqual(
        expected({}, false),
      );
      expect(await countRuns(db, { userId: ownerId })).toBe(expected({}).length);
    });

    test("any filter, any page: rows, total and stream agree", async () => {
      const filters = fc.record(
        {
          statuses: fc.array(fc.constantFrom<RunStatus>(...RUN_STATUSES), { maxLength: 10 }),
          name: fc.constantFrom("fit", "axb", "nothing"),
          nameContains: fc.constantFrom("", "I", "0%", "_", "\\", "%", "zz", "'"),
          createdSinceMs: fc.nat(70_000),
          id: fc.nat(70).map((index) => all[index]?.id ?? "unknown"),
        },
        { requiredKeys: [] },
      );
      const pages = fc.record({ newestFirst: fc.boolean(), offset: fc.nat(40), limit: fc.nat(40) });
      await fc.assert(
        fc.asyncProperty(filters, pages, async (filter, page) => {
          const wanted = expected(filter, page.newestFirst);
          const onPage = wanted.slice(page.offset, page.offset + page.limit);
          expect(await listRuns(db, { userId: ownerId, ...filter }, page)).toEqual(onPage);
          expect(await countRuns(db, { userId: ownerId, ...filter })).toBe(wanted.length);
          expect(await streamed({ userId: ownerId, ...filter }, page.newestFirst)).toEqual(wanted);
        }),
        { numRuns: 150 },
      );
    });

    test("a user without runs has none", async () => {
      const { id } = await addUser(db);
      const page = { newestFirst: true, offset: 0, limit: 10 };
      expect(await listRuns(db, { userId: id }, page)).toEqual([]);
      expect(await countRuns(db, { userId: id })).toBe(0);
      expect(await streamed({ userId: id }, true)).toEqual([]);
    });

    test("runs are found by tag and by the lines of their parameters, exactly", async () => {
      const { id: userId } = await addUser(db);
      const made: Run[] = [];
      for (const sample of ["A", "a", "A"]) {
        const specification = { inputs: { parameters: { sample } }, workflow: { type: "serial" } } as const;
        made.push(await addRun(db, userId, { name: "fit", specification }));
      }
      const found = async (filter: Omit<RunFilter, "userId">) => {
        const runs = await listRuns(db, { userId, ...filter }, { newestFirst: false, offset: 0, limit: 9 });
        expect(await countRuns(db, { userId, ...filter })).toBe(runs.length);
        return runs.map(({ id }) => made.findIndex((one) => one.id === id));
      };
      const parameterLines = [linesWith("sample", "A")];
      expect(await found({ name: "fit", parameterLines })).toEqual([0, 2]);
      expect(await found({ name: "fit", parameterLines, statuses: ["created", "failed"] })).toEqual([0, 2]);
      await setTags(db, made[1]!.seq, ["paper", "b"]);
      await setNote(db, made[1]!.seq, "note");
      await setTags(db, made[2]!.seq, ["papers"]);
      expect(await found({ tag: "paper" })).toEqual([1]);
      expect(await found({ tag: "paper", name: "fit", parameterLines })).toEqual([]);
      const annotation = await annotationsOf(
        db,
        made.map(({ seq }) => seq),
      );
      expect(annotation(made[1]!.seq)).toEqual({ note: "note", tags: ["b", "paper"] });
      expect(annotation(made[0]!.seq)).toEqual({ note: "", tags: [] });
    });

    test("a long list is streamed in pieces, each run once, even if runs are created in between", async () => {
      const { id } = await addUser(db);
      const count = 603;
      await transaction(db, async (connection) => {
        for (let index = 0; index < count; index += 1) await insertRun(connection, newRun(id));
      });
      const pieces: number[] = [];
      const seen = new Set<string>();
      for await (const piece of streamRuns(db, { userId: id }, true)) {
        pieces.push(piece.length);
        for (const run of piece) seen.add(run.id);
        await addRun(db, id);
      }
      expect(pieces).toEqual([500, 103]);
      expect(seen.size).toBe(count);
    });
  });
}
