import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Connection } from "#store/database/database";
import { listRuns, countRuns, streamRuns } from "#store/runs/run-list";
import type { Run } from "#store/runs/runs";
import { insertShare } from "#store/sharing/shares";
import { addRun, addUser, DIALECTS, type StoreUnderTest } from "#store/store-suite";

for (const dialect of DIALECTS) {
  describe(`The list of own and shared runs on ${dialect.name}`, () => {
    let store: StoreUnderTest;
    let db: Connection;
    let userId: string;
    /** A user without groups and with one run. */
    let newcomerId: string;
    /** The runs that the user may read, in order of creation. */
    const readable: Run[] = [];
    const granteeIds = ["", "physics", "students"];
    const nowMs = 5000;

    beforeAll(async () => {
      readable.length = 0;
      store = await dialect.open();
      db = store.db;
      userId = (await addUser(db)).id;
      granteeIds[0] = userId;
      newcomerId = (await addUser(db)).id;
      await addRun(db, newcomerId);
      const owner = await addUser(db);
      const share = (run: Run, granteeId: string, expiresAtMs: number | null = null) =>
        insertShare(db, {
          runSeq: run.seq,
          ownerId: run.ownerId,
          granteeId,
          message: null,
          isHidden: run.status === "deleted",
          sharedAtMs: 1000,
          expiresAtMs,
        });
      for (let index = 0; index < 40; index += 1) {
        const own = await addRun(db, userId, { status: index % 7 === 0 ? "deleted" : "finished" });
        if (own.status !== "deleted") readable.push(own);
        const run = await addRun(db, owner.id, { status: index % 8 === 0 ? "deleted" : "finished" });
        const under = granteeIds.filter((_, bit) => (index >> bit) & 1);
        for (const id of under) await share(run, id, index % 3 === 0 ? 9000 : null);
        // Expired shares, and shares with others, are not in the list.
        if (!under.includes("physics")) await share(run, "physics", nowMs);
        await share(run, "chemistry");
        // Shares with the newcomer: without an end, still in force, or expired.
        if (index < 30) await share(run, newcomerId, [null, 9000, nowMs][index % 3]);
        // The user is a member of a group with which the user shares.
        await share(own, "physics");
        if (under.length > 0 && run.status !== "deleted") readable.push(run);
      }
    });

    afterAll(() => store.close());

    const filter = () => ({ userId, scope: { kind: "readable", granteeIds, nowMs } as const });

    test.each([true, false])(
      "has each run once, in order, on any page; newest first: %s",
      async (newestFirst) => {
        const wanted = (newestFirst ? readable.toReversed() : readable).map(({ id }) => id);
        for (const [offset, limit] of [
          [0, 1000],
          [0, 5],
          [3, 7],
          [wanted.length - 2, 5],
          [1000, 5],
        ] as const) {
          const page = await listRuns(db, filter(), { newestFirst, offset, limit });
          expect(page.map(({ id }) => id)).toEqual(wanted.slice(offset, offset + limit));
        }
        const streamed: string[] = [];
        for await (const runs of streamRuns(db, filter(), newestFirst))
          streamed.push(...runs.map(({ id }) => id));
        expect(streamed).toEqual(wanted);
        expect(await countRuns(db, filter())).toBe(wanted.length);
      },
    );

    test("counts the runs of a user without groups as it lists them", async () => {
      const scope = { kind: "readable", granteeIds: [newcomerId], nowMs } as const;
      const listed = await listRuns(
        db,
        { userId: newcomerId, scope },
        { newestFirst: true, offset: 0, limit: 1000 },
      );
      // 30 runs were shared: 20 of the shares are in force, and 3 of the 20 runs are deleted.
      expect(listed).toHaveLength(1 + 20 - 3);
      expect(await countRuns(db, { userId: newcomerId, scope })).toBe(listed.length);
    });
  });
}
