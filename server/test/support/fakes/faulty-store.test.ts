import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Connection, migrate, transaction } from "#store/database/database";
import { openSqlite } from "#store/dialects/sqlite";
import { findUsers, insertUser } from "#store/users/users";
import { Dice } from "../../simulation/dice.ts";
import { type FaultyStore, faultyStore } from "./faulty-store.ts";

const newUser = (id: string) => ({ id, email: id, isAdmin: false, disabledAtMs: null, createdAtMs: 0 });

describe("a faulty store", () => {
  let sound: Connection;

  beforeEach(async () => {
    sound = openSqlite(":memory:", "normal");
    await migrate(sound);
  });

  afterEach(() => sound.destroy());

  const faulty = (rate: number): FaultyStore =>
    faultyStore(sound, { dice: new Dice(1, "store"), rate, slowMs: 1 });
  const there = async () => new Set((await findUsers(sound, {})).map((user) => user.id));

  test("carries out every call when its rate is 0", async () => {
    const { db, faults } = faulty(0);
    await insertUser(db, newUser("a"));
    await transaction(db, (connection) => insertUser(connection, newUser("b")));
    expect([...(await there())]).toEqual(["a", "b"]);
    expect([...faults]).toEqual([]);
  });

  test("fails before, during and after its calls, and counts the failures", async () => {
    const { db, faults } = faulty(0.5);
    const told = { answered: 0, failed: 0, done: 0 };
    for (let count = 0; count < 400; count += 1) {
      const pair = [newUser(`${count}-a`), newUser(`${count}-b`)];
      const isAnswered = await transaction(db, async (connection) => {
        for (const user of pair) await insertUser(connection, user);
      }).then(
        () => true,
        () => false,
      );
      const rows = (await there()).has(`${count}-a`);
      expect((await there()).has(`${count}-b`)).toBe(rows);
      if (isAnswered) expect(rows).toBe(true);
      told[isAnswered ? "answered" : rows ? "done" : "failed"] += 1;
    }
    expect(told.answered).toBeGreaterThan(150);
    expect(told.failed).toBeGreaterThan(100);
    expect(told.done).toBe(faults.get("applied"));
    expect([...faults.keys()].sort()).toEqual(["applied", "broken", "busy", "full", "lost", "refused"]);
  });

  test("does no work after the cut, not even calls in progress", async () => {
    const { db, cut } = faulty(0);
    const writing = transaction(db, async (connection) => {
      await insertUser(connection, newUser("a"));
      cut();
    });
    await expect(writing).rejects.toThrow("This process is dead.");
    await expect(insertUser(db, newUser("b"))).rejects.toThrow("This process is dead.");
    expect([...(await there())]).toEqual([]);
  });
});
