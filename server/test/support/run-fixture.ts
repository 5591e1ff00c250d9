import { mkdir, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import type { Backend } from "#backends/backend";
import { serialEngine } from "#engines/serial/serial-engine";
import { type EngineHost, hostInProcess } from "#runner/engine-host";
import { type Clock, systemClock } from "#plumbing/clock";
import { systemRandom } from "#plumbing/ids";
import { createScheduler, type Scheduler } from "#scheduler/scheduler";
import { type Connection, transaction } from "#store/database";
import { insertRunEvent } from "#store/run-events";
import { insertUser } from "#store/users";
import { changeStatus } from "#store/workflow-status";
import { insertWorkflow, maybeWorkflow, requestStop, type Workflow } from "#store/workflows";
import type { Resources } from "#workflow/job";
import type { Language } from "#workflow/language";
import type { Specification } from "#workflow/specification/specification";
import { openWorkspaces, type Workspaces } from "#workspace/workspaces";
import { openDatabaseUnderTest } from "./database.ts";

const DEFAULT_ENGINES = [["serial", hostInProcess(serialEngine)]] as const;

/** Store, runner and scheduler without HTTP, over a database and a backend of the test's choice. */
export interface RunFixture {
  readonly db: Connection;
  readonly errors: string[];
  readonly workspaces: Workspaces;
  scheduler(options?: SchedulerChange): Scheduler;
  /** Tells all schedulers to look at the queue. */
  wake(): void;
  addUser(): Promise<string>;
  /** Creates a workflow whose steps have these commands, and queues it. */
  queue(
    commands: readonly string[],
    how?: { readonly language?: Language; readonly ownerId?: string },
  ): Promise<string>;
  /** Queues a workflow with these files in its workspace. */
  queueSpecification(specification: Specification, files?: Readonly<Record<string, string>>): Promise<string>;
  workflow(id: string): Promise<Workflow>;
  /** The workflow as soon as `is` holds of it. */
  until(id: string, is: (workflow: Workflow) => boolean): Promise<Workflow>;
  close(): Promise<void>;
}

export interface SchedulerChange {
  readonly maxRunsAtOnce?: number;
  readonly maxRunsPerUser?: number;
  readonly capacity?: Resources;
  readonly hostId?: string;
  readonly clock?: Clock;
  readonly db?: Connection;
  readonly engines?: readonly (readonly [Language, EngineHost])[];
  readonly snapshotEveryEvents?: number;
}

export async function runFixture(backend: Backend): Promise<RunFixture> {
  const root = await mkdtemp(path.join(os.tmpdir(), "reprise-runs-"));
  const workspaces = await workspacesIn(root);
  const { db, close } = await openDatabaseUnderTest();
  const firstUserId = await addUser();
  const errors: string[] = [];
  const schedulers: Scheduler[] = [];

  async function addUser() {
    const id = systemRandom.uuid();
    const email = `${id}@example.org`;
    await insertUser(db, { id, email, isAdmin: false, disabledAtMs: null, createdAtMs: 0 });
    return id;
  }

  async function queueSpecification(
    specification: Specification,
    files: Readonly<Record<string, string>> = {},
    ownerId = firstUserId,
  ) {
    const id = systemRandom.uuid();
    const workspaceId = systemRandom.uuid();
    for (const [name, text] of Object.entries(files)) {
      await workspaces.write(workspaceId, name, Readable.from([Buffer.from(text)]));
    }
    const language = specification.workflow.type;
    const workflow = {
      id,
      ownerId,
      workspaceId,
      name: "w",
      language,
      specification,
      launcherUrl: null,
      createdAtMs: 0,
    };
    await transaction(db, async (connection) => {
      await insertWorkflow(connection, workflow);
      await changeStatus(connection, { workflowId: id, to: "queued", by: "user", atMs: systemClock.now() });
      await insertRunEvent(connection, id, { seq: 0, kind: "start", body: {}, log: "", atMs: 0 });
    });
    return id;
  }

  const workflow = async (id: string) => (await maybeWorkflow(db, id))!;

  return {
    db,
    errors,
    workflow,
    workspaces,
    scheduler({
      maxRunsAtOnce = 4,
      maxRunsPerUser = 1000,
      capacity = { cores: 1000, memoryBytes: 2 ** 40 },
      hostId = "host",
      clock = systemClock,
      db: connection = db,
      engines = DEFAULT_ENGINES,
      snapshotEveryEvents = 1000,
    } = {}) {
      const scheduler = createScheduler({
        runner: {
          db: connection,
          clock,
          engines: new Map(engines),
          backend,
          workspaces,
          bootId: "boot",
          snapshotEveryEvents,
        },
        clock,
        host: { id: hostId, name: hostId },
        limits: { maxRunsAtOnce, maxRunsPerUser, capacity },
        requestStop: (id) => requestStop(db, id, systemClock.now()),
        log: {
          error: (details, message) =>
            void errors.push(`${message} ${String((details as { err: unknown }).err)}`),
        },
      });
      schedulers.push(scheduler);
      return scheduler;
    },
    wake: () => schedulers.forEach((scheduler) => scheduler.wake()),
    addUser,
    queue(commands, { language = "serial", ownerId } = {}) {
      const steps = commands.map((command, index) => ({ name: `s${index}`, commands: [command] }));
      return queueSpecification({ workflow: { type: language, specification: { steps } } }, {}, ownerId);
    },
    queueSpecification,
    async until(id, is) {
      for (;;) {
        const now = await workflow(id);
        if (is(now)) return now;
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    },
    async close() {
      for (const scheduler of schedulers) await scheduler.close({ stopJobs: false });
      await close();
      await rm(root, { recursive: true });
    },
  };
}

async function workspacesIn(root: string): Promise<Workspaces> {
  const incomingFolder = path.join(root, "incoming");
  await mkdir(incomingFolder);
  return openWorkspaces({
    folder: path.join(root, "workspaces"),
    incomingFolder,
    fsync: false,
    random: systemRandom,
  });
}
