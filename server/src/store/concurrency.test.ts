import { sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { adapterOf } from "#store/database/adapter";
import { type Connection, transaction } from "#store/database/database";
import { registerHost, signOffHost } from "#store/hosts/hosts";
import { checkLease, type Lease, maybeTakeLease } from "#store/hosts/leases";
import { addUser, addRun, DIALECTS, newJob, newRun, insertJob } from "#store/store-suite";
import { storeFixture } from "#store/store-fixture";
import { insertUser, maybeUserByEmail } from "#store/users/users";
import { countInStatuses } from "#store/runs/run-counts";
import { moveRun } from "#store/runs/move-run";
import { insertRun, oneRun } from "#store/runs/runs";
import { mustRemoveWorkspace } from "#store/workspaces/workspaces";
import { RUN_STATUSES, TRANSITIONS } from "#workflow/run/run-status";

for (const dialect of DIALECTS) {
  describe(`Concurrent changes in the store on ${dialect.name}`, () => {
    const store = storeFixture(dialect);
    let db: Connection;
    let ownerId: string;

    beforeEach(async () => {
      ({ db } = store);
      ownerId = (await addUser(db)).id;
    });

    const create = (name = "w") =>
      transaction(db, (connection) => insertRun(connection, newRun(ownerId, { name })));

    const atOnce = <Result>(count: number, ask: (index: number) => Promise<Result>) =>
      Promise.all(Array.from({ length: count }, (_, index) => ask(index)));

    test("give runs of one name different numbers", async () => {
      const numbers = (await atOnce(32, () => create())).map((made) => made.runMajor);
      expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 32 }, (_, index) => index + 1));
      expect(await countInStatuses(db, ownerId, ["created"])).toBe(32);
    });

    test("to a status succeed for exactly one caller", async () => {
      const { id: runId } = await addRun(db, ownerId);
      const asks = (["queued", "deleted"] as const).flatMap((to) => Array(8).fill(to) as (typeof to)[]);
      const answers = await atOnce(16, (index) =>
        transaction(db, (connection) =>
          moveRun(connection, { runId, to: asks[index]!, by: "user", atMs: 1 }),
        ),
      );
      expect(answers.filter(Boolean)).toHaveLength(1);
      expect((await oneRun(db, runId)).status).toBe(asks[answers.indexOf(true)]);
    });

    /**
     * Waits until another transaction is blocked by a lock. In SQLite, all other transactions are blocked
     * from the start of this transaction.
     */
    const untilAnotherWaits = async () => {
      if (!adapterOf(db).differences.locksRows) return;
      const waiting = sql`select pid from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      await expect.poll(async () => (await waiting.execute(db)).rows).toHaveLength(1);
    };

    test("wait for a concurrent move, and are judged by the status after it", async () => {
      const { id: runId } = await addRun(db, ownerId, { status: "pending" });
      const move = (to: "running" | "stopped", meanwhile: () => Promise<void>) =>
        transaction(db, async (connection) => {
          const isDone = await moveRun(connection, { runId, to, by: "runner", atMs: 1 });
          await meanwhile();
          return isDone;
        });
      let stopping: Promise<boolean> | undefined;
      const running = await move("running", async () => {
        stopping = move("stopped", async () => undefined);
        await untilAnotherWaits();
      });
      expect([running, await stopping]).toEqual([true, true]);
    });

    test("a run is not taken from a host that writes down a job of its own in that very moment", async () => {
      const { id: runId } = await addRun(db, ownerId, { status: "running" });
      await registerHost(db, { id: "here", name: "here" });
      await registerHost(db, { id: "there", name: "there" });
      const lease = (await maybeTakeLease(db, runId, "here"))!;
      // Simulates a host considered gone after a long sleep.
      await signOffHost(db, "here");
      let taking: Promise<Lease | undefined> | undefined;
      await transaction(db, async (connection) => {
        await checkLease(connection, runId, lease);
        taking = transaction(db, (other) => maybeTakeLease(other, runId, "there"));
        await untilAnotherWaits();
        await insertJob(connection, newJob(runId, 0, { hostId: "here" }));
      });
      expect(await taking).toBeUndefined();
    });

    test("leave totals that equal a recount", async () => {
      const runs = await atOnce(12, () => addRun(db, ownerId));
      await atOnce(200, async (index) => {
        const { to, by } = TRANSITIONS[(index * 7) % TRANSITIONS.length]!;
        const runId = runs[index % runs.length]!.id;
        await transaction(db, (connection) => moveRun(connection, { runId, to, by: by[0]!, atMs: index }));
        if (index % 10 === 0) await create();
      });
      const rows = await db.selectFrom("runs").select("status").execute();
      for (const status of RUN_STATUSES) {
        const recounted = rows.filter((row) => row.status === status).length;
        expect(`${status}: ${await countInStatuses(db, ownerId, [status])}`).toBe(`${status}: ${recounted}`);
      }
    });

    test("that delete the last two runs of a workspace tell exactly one caller to remove the workspace", async () => {
      const { id, workspaceId } = await addRun(db, ownerId);
      const other = await addRun(db, ownerId, { workspaceId });
      const remove = (runId: string) =>
        transaction(db, async (connection) => {
          await moveRun(connection, { runId, to: "deleted", by: "user", atMs: 1 });
          // Both transactions have changed a row before either reads.
          await new Promise((resolve) => setTimeout(resolve, 20));
          return mustRemoveWorkspace(connection, workspaceId);
        });
      const answers = await Promise.all([remove(id), remove(other.id)]);
      expect(answers.toSorted()).toEqual([false, true]);
    });

    test("an address wanted by many users at a time becomes a single user's", async () => {
      const user = { email: "ada@example.org", isAdmin: false, disabledAtMs: null, createdAtMs: 0 };
      const answers = await atOnce(8, (index) => insertUser(db, { ...user, id: `user-${index}` }));
      expect(answers.filter(Boolean)).toHaveLength(1);
      expect((await maybeUserByEmail(db, user.email))?.id).toBe(`user-${answers.indexOf(true)}`);
    });
  });
}
