import { beforeEach, describe, expect, test } from "vitest";
import { type Connection, transaction } from "#store/database/database";
import { together } from "#store/database/together";
import { addUser, DIALECTS } from "#store/store-suite";
import { storeFixture } from "#store/store-fixture";
import { insertUser, maybeUser, setDisabled } from "#store/users/users";

for (const dialect of DIALECTS) {
  describe(`Statements that are started together on ${dialect.name}`, () => {
    const store = storeFixture(dialect);
    let db: Connection;

    beforeEach(() => ({ db } = store));

    const newUser = () => {
      const id = crypto.randomUUID();
      return { id, email: `${id}@example.org`, isAdmin: false, disabledAtMs: null, createdAtMs: 0 };
    };

    test("are carried out in order, and return results in the order", async () => {
      const user = newUser();
      const found = await transaction(db, (connection) =>
        together([
          maybeUser(connection, user.id),
          insertUser(connection, user),
          setDisabled(connection, user.id, 1),
          maybeUser(connection, user.id),
          setDisabled(connection, user.id, 2),
          maybeUser(connection, user.id),
        ]),
      );
      const times = [found[0], found[3], found[5]].map((one) => one?.disabledAtMs);
      expect(times).toEqual([undefined, 1, 2]);
    });

    test("leave no rows after a failure, and report the first error, not a later error", async () => {
      const known = await addUser(db);
      const [before, after] = [newUser(), newUser()];
      const failing = transaction(db, (connection) =>
        together([
          insertUser(connection, before),
          insertUser(connection, { ...newUser(), id: known.id }),
          insertUser(connection, after),
        ]),
      );
      await expect(failing).rejects.toThrow(/unique/i);
      for (const { id } of [before, after]) expect(await maybeUser(db, id)).toBeUndefined();
      expect(await maybeUser(db, known.id)).toEqual(known);
    });

    test("are all over when one that needs several has failed and another still runs", async () => {
      const known = await addUser(db);
      const user = newUser();
      let steps = 0;
      const failing = transaction(db, (connection) =>
        together([
          insertUser(connection, { ...newUser(), id: known.id }),
          (async () => {
            for (; steps < 5; steps += 1)
              await setDisabled(connection, known.id, steps).catch(() => undefined);
            await insertUser(connection, user);
          })(),
        ]),
      );
      await expect(failing).rejects.toThrow(/unique/i);
      expect(steps).toBe(5);
      expect(await maybeUser(db, user.id)).toBeUndefined();
      expect(await maybeUser(db, known.id)).toEqual(known);
    });
  });
}
