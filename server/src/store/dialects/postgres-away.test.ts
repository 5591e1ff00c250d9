import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Connection, migrate, transaction } from "#store/database/database";
import { openPostgres } from "#store/dialects/postgres";
import {
  hasPostgres,
  needsPostgres,
  type PostgresServer,
  startPostgresServer,
} from "#store/dialects/postgres-server-suite";
import { addUser } from "#store/store-suite";
import { findUsers, insertUser, maybeUser } from "#store/users/users";
import { together } from "#store/database/together";
import { listen, notify } from "#store/database/wake-ups";

describe("When PostgreSQL goes away", () => {
  let server: PostgresServer | undefined;
  let db: Connection;
  let troubles: string[];

  beforeAll(async () => {
    if (!hasPostgres()) return;
    server = await startPostgresServer();
    const first = openPostgres(server.url());
    await migrate(first);
    await first.destroy();
  });

  afterAll(() => server?.remove());

  beforeEach((context) => {
    needsPostgres(context);
    troubles = [];
    db = openPostgres(server!.url(), { onTrouble: (_error, message) => void troubles.push(message) });
  });

  afterEach(async () => {
    if (!server) return;
    await server.start();
    await db.destroy();
  });

  /** Cuts all connections, as an administrator or a server shutdown does. */
  async function cutAllConnections(): Promise<void> {
    const other = openPostgres(server!.url());
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where pid != pg_backend_pid() and backend_type = 'client backend'`.execute(other);
    await other.destroy();
  }

  const newUser = () => ({
    id: crypto.randomUUID(),
    email: `${crypto.randomUUID()}@example.org`,
    isAdmin: false,
    disabledAtMs: null,
    createdAtMs: 0,
  });

  /** Opens several connections of the pool and leaves them idle. */
  const useConnections = (count: number) =>
    Promise.all(Array.from({ length: count }, () => sql`select pg_sleep(0.02)`.execute(db)));

  test.each(["fast", "immediate"] as const)(
    "an idle pool survives a stop (%s), says plainly that nothing answers, and works again after the start",
    async (how) => {
      const user = await addUser(db);
      await useConnections(5);
      await server!.stop(how);
      const asked = await Promise.allSettled([maybeUser(db, user.id), insertUser(db, newUser())]);
      for (const answer of asked) {
        expect(answer).toMatchObject({ status: "rejected", reason: { name: "DatabaseAwayError" } });
      }
      await expect(transaction(db, () => Promise.resolve())).rejects.toThrow(
        /^The database does not answer \(.+\)\. Nothing was changed\.$/,
      );
      await server!.start();
      expect(await maybeUser(db, user.id)).toEqual(user);
      expect(troubles).toContain("An idle connection to the database broke.");
    },
  );

  test("reads and starting transactions are repeated on a new connection without an error", async () => {
    const user = await addUser(db);
    for (let round = 0; round < 5; round += 1) {
      await useConnections(3);
      await cutAllConnections();
      expect(await maybeUser(db, user.id)).toEqual(user);
      await cutAllConnections();
      expect(await transaction(db, (connection) => maybeUser(connection, user.id))).toEqual(user);
    }
  });

  test("a transaction with a broken connection is carried out once, from the beginning", async () => {
    let attempts = 0;
    const user = newUser();
    await transaction(db, async (connection) => {
      attempts += 1;
      await insertUser(connection, { ...user, createdAtMs: attempts });
      if (attempts === 1) await cutAllConnections();
      await maybeUser(connection, user.id);
    });
    expect(attempts).toBe(2);
    expect(await maybeUser(db, user.id)).toEqual({ ...user, createdAtMs: 2 });
  });

  test("a transaction that breaks each time is given up, and the error reports no change", async () => {
    let attempts = 0;
    const user = newUser();
    const writing = transaction(db, async (connection) => {
      attempts += 1;
      await insertUser(connection, user);
      await cutAllConnections();
      await maybeUser(connection, user.id);
    });
    await expect(writing).rejects.toMatchObject({ code: "DATABASE_AWAY", mayBeDone: false });
    expect(attempts).toBe(2);
    expect(await maybeUser(db, user.id)).toBeUndefined();
  });

  test("a transaction with a connection that breaks among joint statements is carried out once as well", async () => {
    let attempts = 0;
    const users = [newUser(), newUser()];
    await transaction(db, async (connection) => {
      attempts += 1;
      await together([
        insertUser(connection, users[0]!),
        attempts === 1 && sql`select pg_terminate_backend(pg_backend_pid())`.execute(connection),
        insertUser(connection, users[1]!),
      ]);
    });
    expect(attempts).toBe(2);
    expect(await Promise.all(users.map(({ id }) => maybeUser(db, id)))).toEqual(users);
  });

  test("a broken commit is not repeated, and the error reports an unknown outcome", async () => {
    let attempts = 0;
    const user = newUser();
    const writing = transaction(db, async (connection) => {
      attempts += 1;
      await insertUser(connection, user);
      await commitSlowly(connection);
      setTimeout(() => void cutAllConnections(), 50);
    });
    await expect(writing).rejects.toMatchObject({
      code: "DATABASE_LOST",
      message: expect.stringContaining("is not known") as string,
    });
    expect(attempts).toBe(1);
    expect(await maybeUser(db, user.id)).toBeUndefined();
  });

  test("a single statement that breaks is not repeated either", async () => {
    const before = (await findUsers(db, {})).length;
    const writing = sql`insert into users (id, email, email_key, created_at)
      select gen_random_uuid(), 'x', 'x' || pg_sleep(5), 0`.execute(db);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await Promise.all([expect(writing).rejects.toMatchObject({ mayBeDone: true }), cutAllConnections()]);
    expect(await findUsers(db, {})).toHaveLength(before);
  });

  test("wake-ups are heard again, and listeners poll once after the gap", async () => {
    const heard: string[] = [];
    const stopListening = listen(db, {
      hear: ({ kind }) => void heard.push(kind),
      afterGap: () => void heard.push("gap"),
    });
    await expect.poll(() => heard).toEqual(["gap"]);
    await server!.stop("immediate");
    await server!.start();
    await expect.poll(() => heard).toEqual(["gap", "gap"]);
    await notify(db, { kind: "run-queued" });
    await expect.poll(() => heard).toEqual(["gap", "gap", "run-queued"]);
    expect(troubles.filter((message) => message.startsWith("No wake-ups"))).toHaveLength(1);
    await stopListening();
  });

  test("listening ends at once, also while nothing answers", async () => {
    await server!.stop("immediate");
    const stopListening = listen(db, { hear: () => undefined, afterGap: () => undefined });
    await expect.poll(() => troubles).not.toEqual([]);
    let isOver = false;
    void stopListening().then(() => void (isOver = true));
    // The next attempt to connect is many turns away, so the end does not wait for it.
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect(isOver).toBe(true);
  });
});

/** Makes the commit slow: the check of a deferred constraint sleeps there. */
async function commitSlowly(db: Connection): Promise<void> {
  await sql`create or replace function sleep_at_commit() returns trigger language plpgsql
    as $$ begin perform pg_sleep(5); return null; end $$`.execute(db);
  await sql`create temporary table slow (a integer)`.execute(db);
  await sql`create constraint trigger slow_commit after insert on slow deferrable initially deferred
    for each row execute function sleep_at_commit()`.execute(db);
  await sql`insert into slow values (1)`.execute(db);
}
