import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TABLES } from "#store/database/all-rows";
import { transaction } from "#store/database/database";
import { replaceSealedValues, SEALED_TABLES, sealedValues } from "#store/database/sealed-values";
import { DIALECTS, type StoreUnderTest } from "#store/store-suite";

describe.each(DIALECTS)("sealed values on $name", ({ open }) => {
  let store: StoreUnderTest;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(() => store.close());

  test("every sealed value is found and replaced, and no other value", async () => {
    const { db } = store;
    const tables = await db.introspection.getTables();
    const withSeal = tables.filter(({ columns }) => columns.some(({ name }) => name === "sealed"));
    expect(withSeal.map(({ name }) => name).toSorted()).toEqual([...SEALED_TABLES].toSorted());
    expect(TABLES).toEqual(expect.arrayContaining([...SEALED_TABLES]));
    const user = { id: "u", email: "u", email_key: "u", is_admin: 0, created_at: 1 };
    await db.insertInto("users").values(user).execute();
    const key = { user_id: "u", fingerprint: "f", stored_at: 1 };
    const keys = Array.from({ length: 25 }, (_, index) => ({
      ...key,
      key: `k${index}`,
      sealed: `s${index}`,
    }));
    await db.insertInto("idempotency_keys").values(keys).execute();
    const token = { user_id: "u", kind: "token", scope: "everything", created_at: 1 } as const;
    await db
      .insertInto("tokens")
      .values([
        { ...token, id: "t", hash: "h", sealed: "st" },
        { ...token, id: "n", hash: "i", sealed: null },
      ])
      .execute();
    expect(await transaction(db, (tx) => replaceSealedValues(tx, (sealed) => `${sealed}!`))).toBe(26);
    const found: string[] = [];
    for await (const sealed of sealedValues(db)) found.push(sealed);
    expect(found.toSorted()).toEqual(["st!", ...keys.map(({ sealed }) => `${sealed}!`)].toSorted());
  });
});
