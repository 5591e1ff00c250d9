import type { Kysely } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Connection, inspectDatabase, migrate, OtherDatabaseError } from "#store/database/database";
import { openSqlite } from "#store/dialects/sqlite";
import { additionFaults, columnsOf } from "#store/migrations/additions-suite";
import { type Migration, migrations, onlyAdds } from "#store/migrations/index";

let db: Connection;
beforeEach(() => (db = openSqlite(":memory:", "normal")));
afterEach(() => db.destroy());

const tables = () => columnsOf(db as unknown as Kysely<never>);

/** Returns the faults of a migration with the name of an addition. */
async function faultsOf(name: string, migration: Migration, before = migrations): Promise<readonly string[]> {
  await migrate(db, before);
  const earlier = await tables();
  await migrate(db, { ...before, [name]: migration });
  return additionFaults(earlier, await tables());
}

test("each migration with the name of an addition only adds", async () => {
  const names = Object.keys(migrations);
  for (const [index, name] of names.entries()) {
    const before = Object.fromEntries(names.slice(0, index).map((one) => [one, migrations[one]!]));
    if (onlyAdds(name)) expect([name, await faultsOf(name, migrations[name]!, before)]).toEqual([name, []]);
  }
});

describe("the rule", () => {
  const alter = (work: (db: Kysely<unknown>) => Promise<void>) => faultsOf("0002-adds-it", work);

  test("lets a migration add tables and optional columns", async () => {
    const faults = await alter(async (on) => {
      await on.schema
        .createTable("labels")
        .addColumn("id", "text", (id) => id.notNull())
        .execute();
      await on.schema.alterTable("runs").addColumn("label", "text").execute();
      await on.schema
        .alterTable("jobs")
        .addColumn("weight", "integer", (one) => one.notNull().defaultTo(0))
        .execute();
    });
    expect(faults).toEqual([]);
  });

  test.each<[string, (on: Kysely<unknown>) => Promise<void>]>([
    ["the table hosts is gone", (on) => on.schema.dropTable("hosts").execute()],
    [
      "the column hosts.address is gone",
      (on) => on.schema.alterTable("hosts").dropColumn("address").execute(),
    ],
    [
      "the new column labels.id has no default",
      async (on) => {
        await on.schema.dropTable("labels").execute();
        await on.schema
          .createTable("labels")
          .addColumn("id", "text", (id) => id.notNull())
          .execute();
      },
    ],
  ])("notices that %s", async (fault, work) => {
    const first: Migration = (on) => on.schema.createTable("labels").addColumn("old", "text").execute();
    const faults = await faultsOf("0003-adds-it", work, { ...migrations, "0002-adds-labels": first });
    expect(faults).toContain(fault);
  });
});

describe("a database with an unknown migration", () => {
  const nothing: Migration = async () => undefined;

  test("is used if the migration only adds", async () => {
    await migrate(db, { ...migrations, "0002-adds-labels": nothing });
    expect(await migrate(db)).toEqual([]);
    expect(await inspectDatabase(db)).toEqual({ isNew: false, missing: [], unknown: ["0002-adds-labels"] });
  });

  test("is refused if an unknown migration does more", async () => {
    await migrate(db, { ...migrations, "0002-adds-labels": nothing, "0003-splits-runs": nothing });
    await expect(migrate(db)).rejects.toThrow(OtherDatabaseError);
    await expect(migrate(db)).rejects.toThrow("it knows 0003-splits-runs, this version does not");
  });
});
