import { beforeEach, describe, expect, test } from "vitest";
import { systemRandom } from "#plumbing/ids";
import { type Connection, inspectDatabase, migrate, transaction } from "#store/database/database";
import { addUser, addRun, DIALECTS, newRun } from "#store/store-suite";
import { storeFixture } from "#store/store-fixture";
import {
  activeTokens,
  forgetExpiredTokens,
  insertToken,
  listTokens,
  maybeRedeemCode,
  maybeTokenOwner,
  revokeOneToken,
  revokeTokens,
} from "#store/users/tokens";
import {
  findUsers,
  insertUser,
  maybeAdmin,
  maybeUser,
  maybeUserByEmail,
  setDisabled,
} from "#store/users/users";
import { moveRun } from "#store/runs/move-run";
import { insertRun, maybeRun } from "#store/runs/runs";
import { FIRST, type Migration, migrations } from "#store/migrations/index";
import {
  forgetWorkspace,
  isWorkspaceRemoved,
  markWorkspaceRemoved,
  mustRemoveWorkspace,
  reserveWorkspace,
  unusedWorkspaces,
  workspacesToRemove,
} from "#store/workspaces/workspaces";

for (const dialect of DIALECTS) {
  describe(`The store on ${dialect.name}`, () => {
    const store = storeFixture(dialect);
    let db: Connection;

    beforeEach(() => void ({ db } = store));

    describe("users", () => {
      test("are found by id and by address, in any case of letters", async () => {
        const user = await addUser(db, {
          email: "Ada@Example.org",
          createdAtMs: 7,
          disabledAtMs: 8,
          isAdmin: true,
        });
        expect(await maybeUser(db, user.id)).toEqual(user);
        expect(await maybeUserByEmail(db, "aDA@example.ORG")).toEqual(user);
        expect(await maybeUser(db, "nobody")).toBeUndefined();
        expect(await maybeUserByEmail(db, "nobody@example.org")).toBeUndefined();
      });

      test("an address belongs to a single user, however spelt", async () => {
        const user = await addUser(db, { email: "ada@example.org" });
        expect(await insertUser(db, { ...user, id: systemRandom.uuid(), email: "ADA@example.org" })).toBe(
          false,
        );
        expect(await findUsers(db, {})).toHaveLength(1);
      });

      test("the administrator is the oldest one", async () => {
        expect(await maybeAdmin(db)).toBeUndefined();
        await addUser(db, { createdAtMs: 1 });
        await addUser(db, { createdAtMs: 3, isAdmin: true });
        const oldest = await addUser(db, { createdAtMs: 2, isAdmin: true });
        expect(await maybeAdmin(db)).toEqual(oldest);
      });

      test("are disabled and enabled again", async () => {
        const { id } = await addUser(db);
        await setDisabled(db, id, 5);
        expect(await maybeUser(db, id)).toMatchObject({ disabledAtMs: 5 });
        await setDisabled(db, id, null);
        expect(await maybeUser(db, id)).toMatchObject({ disabledAtMs: null });
      });

      test("are listed in the order of creation, with their first active token", async () => {
        const second = await addUser(db, { createdAtMs: 2, email: "b@example.org" });
        const first = await addUser(db, { createdAtMs: 1, email: "a@example.org" });
        await addToken(first.id, { hash: "h-late", sealed: "late", createdAtMs: 20 });
        await addToken(first.id, { hash: "h-early", sealed: "early", createdAtMs: 10 });
        expect(await findUsers(db, {})).toEqual([
          { ...first, sealedToken: "early" },
          { ...second, sealedToken: null },
        ]);
      });

      test("criteria must all hold", async () => {
        const ada = await addUser(db, { email: "ada@example.org", createdAtMs: 1 });
        const bob = await addUser(db, { email: "bob@example.org", createdAtMs: 2 });
        await addToken(ada.id, { hash: "h-ada" });
        const found = async (criteria: Parameters<typeof findUsers>[1]) =>
          (await findUsers(db, criteria)).map((user) => user.id);
        expect(await found({ id: bob.id })).toEqual([bob.id]);
        expect(await found({ email: "ADA@example.org" })).toEqual([ada.id]);
        expect(await found({ tokenHash: "h-ada" })).toEqual([ada.id]);
        expect(await found({ tokenHash: "h-ada", email: "ada@example.org", id: ada.id })).toEqual([ada.id]);
        expect(await found({ tokenHash: "h-ada", id: bob.id })).toEqual([]);
        expect(await found({ tokenHash: "unknown" })).toEqual([]);
      });
    });

    describe("tokens", () => {
      test("lead to the owner, and tell about a revocation", async () => {
        const user = await addUser(db);
        await addToken(user.id, { hash: "h1" });
        await addToken(user.id, { hash: "h2" });
        expect(await maybeTokenOwner(db, "h1", 5)).toMatchObject({ user, kind: "token", refusal: undefined });
        expect(await maybeTokenOwner(db, "unknown", 5)).toBeUndefined();
        expect(await revokeTokens(db, user.id, 9)).toBe(2);
        expect(await revokeTokens(db, user.id, 10)).toBe(0);
        expect(await maybeTokenOwner(db, "h2", 11)).toMatchObject({ user, refusal: "revoked" });
        expect(await findUsers(db, { id: user.id })).toEqual([{ ...user, sealedToken: null }]);
      });

      test("expire, and a code can be used once until then", async () => {
        const { id } = await addUser(db);
        const code = { kind: "code", sealed: null, expiresAtMs: 10 } as const;
        for (const hash of ["c1", "c2"]) await addToken(id, { ...code, hash });
        expect((await activeTokens(db, ["c1", "c2"], 9)).size).toBe(2);
        expect(await activeTokens(db, ["c1"], 10)).toEqual(new Set());
        expect(await maybeTokenOwner(db, "c1", 10)).toMatchObject({ refusal: "expired" });
        const redeemed = await Promise.all([1, 2].map(() => maybeRedeemCode(db, "c1", 9)));
        expect(redeemed.map((one) => one?.userId)).toEqual(expect.arrayContaining([id, undefined]));
        expect(await maybeRedeemCode(db, "c2", 10)).toBeUndefined();
        await addToken(id, { hash: "expired", expiresAtMs: 10 });
        await forgetExpiredTokens(db, 10);
        expect(await maybeTokenOwner(db, "c2", 5)).toBeUndefined();
        expect(await maybeTokenOwner(db, "expired", 10)).toMatchObject({ refusal: "expired" });
      });

      test("are no codes, and codes and sessions are shown to nobody as tokens", async () => {
        const user = await addUser(db);
        await addToken(user.id, { hash: "s", kind: "session", sealed: null, expiresAtMs: 10 });
        await addToken(user.id, { hash: "c", kind: "code", sealed: null, expiresAtMs: 10 });
        expect(await findUsers(db, { id: user.id })).toMatchObject([{ sealedToken: null }]);
        expect(await findUsers(db, { tokenHash: "s" })).toEqual([]);
        await addToken(user.id, { hash: "t", name: "mine" });
        expect(await maybeRedeemCode(db, "t", 1)).toBeUndefined();
        const listed = await listTokens(db, user.id, 9);
        expect(listed.map(({ kind, name }) => `${kind} ${name}`).toSorted()).toEqual([
          "session null",
          "token mine",
        ]);
        expect(await listTokens(db, user.id, 10)).toHaveLength(1);
        const [one] = listed;
        expect(await revokeOneToken(db, { userId: "another", id: one!.id }, 5)).toBe(false);
        expect(await revokeOneToken(db, { userId: user.id, id: one!.id }, 5)).toBe(true);
        expect(await revokeOneToken(db, { userId: user.id, id: one!.id }, 6)).toBe(false);
      });

      test("belong to a single user", async () => {
        const [ada, bob] = [await addUser(db), await addUser(db)];
        expect(await addToken(ada.id, { hash: "same" })).toBe(true);
        expect(await addToken(bob.id, { hash: "same" })).toBe(false);
        expect((await maybeTokenOwner(db, "same", 5))?.user).toEqual(ada);
      });

      test("cannot be stored without a user", async () => {
        await expect(addToken("nobody", { hash: "h" })).rejects.toThrow(/foreign key/i);
      });
    });

    describe("workspaces", () => {
      test("are to be removed when every run in them is deleted, until they are", async () => {
        const { id: ownerId } = await addUser(db);
        const { id, workspaceId } = await addRun(db, ownerId, { status: "finished" });
        const other = await addRun(db, ownerId);
        expect(await mustRemoveWorkspace(db, workspaceId)).toBe(false);
        await moveRun(db, { runId: id, to: "deleted", by: "user", atMs: 3 });
        expect(await mustRemoveWorkspace(db, workspaceId)).toBe(true);
        expect(await mustRemoveWorkspace(db, other.workspaceId)).toBe(false);
        expect(await workspacesToRemove(db)).toEqual([workspaceId]);
        expect(await isWorkspaceRemoved(db, workspaceId)).toBe(false);
        await markWorkspaceRemoved(db, workspaceId, 4);
        expect(await isWorkspaceRemoved(db, workspaceId)).toBe(true);
        expect(await workspacesToRemove(db)).toEqual([]);
      });
    });

    describe("workspaces filled before the run exists", () => {
      test("are known as unused until a run has them, and only then stay", async () => {
        const { id: ownerId } = await addUser(db);
        const [taken, left] = [systemRandom.uuid(), systemRandom.uuid()];
        for (const id of [taken, left]) await reserveWorkspace(db, { id, ownerId, createdAtMs: 1 });
        expect((await unusedWorkspaces(db)).toSorted()).toEqual([taken, left].toSorted());
        await addRun(db, ownerId, { workspaceId: taken });
        expect(await unusedWorkspaces(db)).toEqual([left]);
        await forgetWorkspace(db, left);
        expect(await unusedWorkspaces(db)).toEqual([]);
        await expect(forgetWorkspace(db, taken)).rejects.toThrow(/foreign key/i);
        expect(await workspacesToRemove(db)).toEqual([]);
      });
    });

    describe("transactions", () => {
      test("leave no rows after a failure", async () => {
        const { id: ownerId } = await addUser(db);
        const run = newRun(ownerId);
        const failing = transaction(db, async (connection) => {
          await insertRun(connection, run);
          throw new Error("on purpose");
        });
        await expect(failing).rejects.toThrow("on purpose");
        expect(await maybeRun(db, run.id)).toBeUndefined();
        expect((await addRun(db, ownerId)).runMajor).toBe(1);
      });

      test("show no rows to others before the end", async () => {
        const { id: ownerId } = await addUser(db);
        const run = newRun(ownerId);
        const { promise: written, resolve: tellWritten } = Promise.withResolvers<void>();
        const { promise: seen, resolve: giveUp } = Promise.withResolvers<void>();
        const failing = transaction(db, async (connection) => {
          await insertRun(connection, run);
          tellWritten();
          await seen;
          throw new Error("on purpose");
        });
        await written;
        const reading = maybeRun(db, run.id);
        giveUp();
        await expect(failing).rejects.toThrow("on purpose");
        expect(await reading).toBeUndefined();
      });
    });

    describe("migrations", () => {
      test("are safe to repeat", async () => {
        const user = await addUser(db);
        await migrate(db);
        await migrate(db);
        expect(await maybeUser(db, user.id)).toEqual(user);
      });

      test("only new migrations are carried out, in order", async () => {
        const done: string[] = [];
        const noting = (name: string) => async () => void done.push(name);
        await migrate(db, { ...migrations, "9003-c": noting("c"), "9002-b": noting("b") });
        expect(done).toEqual(["c", "b"]);
      });

      test("an older database gets the later ones alone, and its rows stay", async () => {
        const user = await addUser(db);
        const labels: Migration = (on) =>
          on.schema
            .alterTable("users")
            .addColumn("label", "text", (column) => column.notNull().defaultTo("none"))
            .execute();
        const later = { ...migrations, "9002-labels": labels };
        expect(await inspectDatabase(db, later)).toEqual({
          isNew: false,
          missing: ["9002-labels"],
          unknown: [],
        });
        expect(await migrate(db, later)).toEqual(["9002-labels"]);
        expect(await migrate(db, later)).toEqual([]);
        const rows = await db.selectFrom("users").selectAll().execute();
        expect(rows).toEqual([expect.objectContaining({ id: user.id, label: "none" })]);
      });

      test("a migration that fails half-way changes no table", async () => {
        const user = await addUser(db);
        const halfDone = migrate(db, {
          ...migrations,
          "9002-good": async (inner) => inner.schema.createTable("good").addColumn("a", "text").execute(),
          "9003-bad": async (inner) => {
            await inner.schema.createTable("bad").addColumn("a", "text").execute();
            await inner.schema.dropTable("run_outputs").execute();
            throw new Error("on purpose");
          },
        });
        await expect(halfDone).rejects.toThrow("on purpose");
        const tables = (await db.introspection.getTables()).map((table) => table.name);
        expect(tables).toContain("run_outputs");
        expect(tables).not.toContain("good");
        expect(tables).not.toContain("bad");
        await migrate(db);
        expect(await maybeUser(db, user.id)).toEqual(user);
      });

      test("a database that a newer version wrote is refused by name", async () => {
        await migrate(db, { ...migrations, "9002-newer": async () => undefined });
        await expect(migrate(db)).rejects.toMatchObject({
          name: "OtherDatabaseError",
          message: expect.stringContaining("9002-newer") as string,
        });
      });

      test("a database that an unreleased version made with other tables is refused", async () => {
        await db.deleteFrom("migrations").execute();
        await db.insertInto("migrations").values({ name: FIRST }).execute();
        await expect(migrate(db)).rejects.toThrow(
          "The database was made by an unreleased version of Reprise with other tables (it knows 0001-first, this version " +
            "does not). Download what you need with that version, and start this one with an empty data folder and " +
            "database. Nothing was changed.",
        );
        expect(await inspectDatabase(db)).toMatchObject({
          unknown: [FIRST],
          refusal: expect.stringContaining("unreleased") as string,
        });
      });
    });

    async function addToken(
      userId: string,
      change: Partial<Parameters<typeof insertToken>[1]>,
    ): Promise<boolean> {
      const times = { createdAtMs: 0, expiresAtMs: null, issuesUntilMs: null };
      const token = {
        userId,
        kind: "token",
        name: null,
        hash: "h",
        sealed: "s",
        scope: "everything",
        ...times,
      } as const;
      return insertToken(db, { ...token, id: systemRandom.uuid(), ...change });
    }
  });
}
