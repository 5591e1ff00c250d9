import { beforeEach, describe, expect, test } from "vitest";
import { type Connection, transaction } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import { addUser, DIALECTS } from "#store/store-suite";
import { storeFixture } from "#store/store-fixture";

for (const dialect of DIALECTS) {
  describe(`A fixed query on ${dialect.name}`, () => {
    const store = storeFixture(dialect);
    let db: Connection;

    beforeEach(() => void ({ db } = store));

    test("is built once for a database and its transactions, and run with other values each time", async () => {
      let built = 0;
      const emails = fixedQuery((connection, { id, limit }: { id: string; limit: number }) => {
        built += 1;
        return connection.selectFrom("users").select("email").where("id", "=", id).limit(limit);
      });
      const [ada, bob] = [await addUser(db), await addUser(db)];
      expect((await emails(db, { id: ada.id, limit: 1 })).rows).toEqual([{ email: ada.email }]);
      expect((await emails(db, { id: bob.id, limit: 1 })).rows).toEqual([{ email: bob.email }]);
      const inside = await transaction(db, (connection) => emails(connection, { id: bob.id, limit: 0 }));
      expect(inside.rows).toEqual([]);
      expect(built).toBe(1);
      const other = await dialect.open();
      expect((await emails(other.db, { id: ada.id, limit: 1 })).rows).toEqual([]);
      await other.close();
      expect(built).toBe(2);
    });

    test("that computes with values is refused at construction", async () => {
      const joined = fixedQuery((connection, { id }: { id: string }) =>
        connection.selectFrom("users").select("id").where("id", "=", `${id}!`),
      );
      expect(() => joined(db, { id: "a" })).toThrow("cannot compute with them: id");
      const asJson = fixedQuery((connection, { id }: { id: string }) =>
        connection.selectFrom("users").select("id").where("id", "=", JSON.stringify({ id })),
      );
      expect(() => asJson(db, { id: "a" })).toThrow("cannot compute with them: id");
    });
  });
}
