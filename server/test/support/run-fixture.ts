import type { Backend } from "#backends/backend";
import { serialEngine } from "#engines/serial/serial-engine";
import type { Engine } from "#engines/engine";
import { systemClock } from "#plumbing/clock";
import { systemRandom } from "#plumbing/ids";
import { createScheduler, type Scheduler } from "#scheduler/scheduler";
import { type Connection, migrate, transaction } from "#store/database";
import { openSqlite } from "#store/dialects/sqlite";
import { insertRunEvent } from "#store/run-events";
import { insertUser } from "#store/users";
import { changeStatus } from "#store/workflow-status";
import { insertWorkflow, maybeWorkflow, requestStop, type Workflow } from "#store/workflows";
import type { Language } from "#workflow/language";

/** Store, runner and scheduler without HTTP, over a database in memory and a backend of the test's choice. */
export interface RunFixture {
  readonly db: Connection;
  readonly errors: string[];
  scheduler(options?: { maxRunsAtOnce?: number; db?: Connection }): Scheduler;
  /** Creates a workflow whose steps have these commands, and queues it. */
  queue(commands: readonly string[], language?: Language): Promise<string>;
  workflow(id: string): Promise<Workflow>;
  /** The workflow as soon as `is` holds of it. */
  until(id: string, is: (workflow: Workflow) => boolean): Promise<Workflow>;
  close(): Promise<void>;
}

export async function runFixture(backend: Backend): Promise<RunFixture> {
  const db = openSqlite(":memory:", "normal");
  await migrate(db);
  const ownerId = systemRandom.uuid();
  const user = { id: ownerId, email: "a@b.c", isAdmin: false, disabledAtMs: null, createdAtMs: 0 };
  await insertUser(db, user);
  const errors: string[] = [];
  const schedulers: Scheduler[] = [];

  const workflow = async (id: string) => (await maybeWorkflow(db, id))!;

  return {
    db,
    errors,
    workflow,
    scheduler({ maxRunsAtOnce = 4, db: connection = db } = {}) {
      const scheduler = createScheduler({
        runner: {
          db: connection,
          clock: systemClock,
          engines: new Map<Language, Engine>([["serial", serialEngine]]),
          backend,
          workspaces: { folder: (id: string) => `/nowhere/${id}`, create: async () => undefined },
          bootId: "boot",
        },
        clock: systemClock,
        maxRunsAtOnce,
        requestStop: (id) => requestStop(db, id, systemClock.now()),
        log: {
          error: (details, message) =>
            void errors.push(`${message} ${String((details as { err: unknown }).err)}`),
        },
      });
      schedulers.push(scheduler);
      return scheduler;
    },
    async queue(commands, language = "serial") {
      const id = systemRandom.uuid();
      const steps = commands.map((command, index) => ({ name: `s${index}`, commands: [command] }));
      await transaction(db, async (connection) => {
        await insertWorkflow(connection, {
          id,
          ownerId,
          workspaceId: systemRandom.uuid(),
          name: "w",
          language,
          specification: { workflow: { type: language, specification: { steps } } },
          launcherUrl: null,
          createdAtMs: 0,
        });
        await changeStatus(connection, { workflowId: id, to: "queued", by: "user", atMs: systemClock.now() });
        await insertRunEvent(connection, id, { seq: 0, kind: "start", body: {}, log: "", atMs: 0 });
      });
      return id;
    },
    async until(id, is) {
      for (;;) {
        const now = await workflow(id);
        if (is(now)) return now;
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    },
    async close() {
      for (const scheduler of schedulers) await scheduler.close({ stopJobs: false });
      await db.destroy();
    },
  };
}
