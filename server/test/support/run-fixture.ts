import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { compose, type Server } from "#app/compose";
import type { RunnableEngine, ServerParts } from "#app/server-parts";
import type { Backend } from "#backends/backend";
import { type Clock, systemClock } from "#plumbing/clock";
import { messageOf } from "#plumbing/errors";
import { systemRandom } from "#plumbing/ids";
import { type Connection, transaction } from "#store/database/database";
import { insertRunEvent } from "#store/events/run-events";
import { insertUser } from "#store/users/users";
import { moveRun } from "#store/runs/move-run";
import { insertRun, maybeRun, type Run } from "#store/runs/runs";
import type { Resources } from "#workflow/job/job";
import type { Language } from "#workflow/language";
import { isLive } from "#workflow/run/run-status";
import type { Specification } from "#workflow/specification/specification";
import type { Workspaces } from "#workspace/workspaces";
import { Dice } from "../simulation/dice.ts";
import { openDatabaseUnderTest } from "./database.ts";
import { errorsOnly } from "./errors-only.ts";
import { faultyStore, ON_PURPOSE } from "./fakes/faulty-store.ts";
import { hastyClock } from "./fakes/hasty-clock.ts";
import { LIMITS, openParts } from "./server-parts.ts";

/** Servers without HTTP, over a database and a backend of the test's choice. Tests queue runs by hand. */
export interface RunFixture {
  readonly db: Connection;
  readonly errors: string[];
  readonly warnings: string[];
  /** Errors of the deliberately failing store. */
  readonly intendedErrors: string[];
  readonly workspaces: Workspaces;
  server(change?: ServerChange): Server;
  /** Wakes the schedulers of all servers. */
  wake(): void;
  addUser(): Promise<string>;
  /** Creates a workflow with one step per command, and queues it. */
  queue(
    commands: readonly string[],
    how?: { readonly language?: Language; readonly ownerId?: string },
  ): Promise<string>;
  /** Queues a workflow with the given workspace files. */
  queueSpecification(
    specification: Specification,
    files?: Readonly<Record<string, string>>,
    ownerId?: string,
  ): Promise<string>;
  run(id: string): Promise<Run>;
  /** Returns the workflow as soon as `is` returns true for it. */
  until(id: string, is: (run: Run) => boolean): Promise<Run>;
  /** Closes all servers; jobs keep running. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export interface ServerChange {
  readonly maxRunsAtOnce?: number;
  readonly maxRunsPerUser?: number;
  readonly capacity?: Resources;
  readonly hostId?: string;
  readonly clock?: Clock;
  readonly db?: Connection;
  readonly engines?: readonly RunnableEngine[];
  readonly snapshotEveryEvents?: number;
  readonly runSettings?: ServerParts["runSettings"];
  readonly inputs?: ServerParts["inputs"];
  readonly outputStore?: ServerParts["outputStore"];
  readonly backends?: readonly Backend[];
}

export interface RunFixtureOptions {
  readonly clock?: Clock;
  /** Further backends. */
  readonly others?: readonly Backend[];
  /** Seed of the store's faults. */
  readonly faults?: number | undefined;
}

export const isOver = (run: Run): boolean => !isLive(run.status);

/** The seed in `REPRISE_TEST_FAULTS=7`, which runs any test with this fixture over a failing store. */
const FAULTS_ASKED = process.env["REPRISE_TEST_FAULTS"];
const FAULT_RATE = 0.05;
const FAULTY_SPEED = 50;

export async function runFixture(
  first: Backend,
  { faults = FAULTS_ASKED ? Number(FAULTS_ASKED) : undefined, ...options }: RunFixtureOptions = {},
): Promise<RunFixture> {
  // A retry after half a second happens soon with this clock.
  const backends = [first, ...(options.others ?? [])];
  const { clock = faults === undefined ? systemClock : hastyClock(FAULTY_SPEED) } = options;
  const root = await mkdtemp(path.join(os.tmpdir(), "reprise-runs-"));
  const { db, close } = await openDatabaseUnderTest(clock);
  const firstUserId = await addUser();
  const faultyDb =
    faults === undefined
      ? db
      : faultyStore(db, { dice: new Dice(faults, "fixture"), rate: FAULT_RATE, slowMs: 5 }).db;
  const errors: string[] = [];
  const warnings: string[] = [];
  const intendedErrors: string[] = [];
  const log = errorsOnly(
    (error, message) => {
      const sentence = `${message} ${String(error)}`;
      if (sentence.endsWith(ON_PURPOSE)) intendedErrors.push(sentence);
      else errors.push(sentence);
    },
    (message) => void warnings.push(message),
  );
  const parts = await openParts(root, { db, clock, backends, log });
  const { workspaces } = parts;
  const servers: Server[] = [];

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
      await workspaces.of(workspaceId).write(name, Readable.from([Buffer.from(text)]));
    }
    const language = specification.workflow.type;
    const run = {
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
      await insertRun(connection, run);
      await moveRun(connection, { runId: id, to: "queued", by: "user", atMs: clock.now() });
      await insertRunEvent(connection, id, { seq: 0, kind: "start", body: {}, log: "", atMs: 0 });
    });
    return id;
  }

  async function settle() {
    for (const server of servers.splice(0)) await server.close({ stopJobs: false });
  }

  const run = async (id: string) => (await maybeRun(db, id))!;

  return {
    db,
    errors,
    warnings,
    intendedErrors,
    run,
    workspaces,
    server({ hostId = "host", ...change } = {}) {
      const { maxRunsAtOnce, maxRunsPerUser, capacity } = { ...LIMITS, ...change };
      const server = compose({
        ...parts,
        db: change.db ?? faultyDb,
        clock: change.clock ?? clock,
        host: { id: hostId, name: hostId },
        engines: change.engines ?? parts.engines,
        backends: change.backends ?? parts.backends,
        limits: { ...LIMITS, maxRunsAtOnce, maxRunsPerUser, capacity },
        snapshotEveryEvents: change.snapshotEveryEvents,
        runSettings: change.runSettings,
        inputs: change.inputs,
        outputStore: change.outputStore,
      });
      servers.push(server);
      return { ...server, start: () => untilStarted(server) };
    },
    wake: () => servers.forEach(({ operations }) => operations.scheduler.wake()),
    addUser,
    queue(commands, { language = "serial", ownerId } = {}) {
      const steps = commands.map((command, index) => ({ name: `s${index}`, commands: [command] }));
      return queueSpecification({ workflow: { type: language, specification: { steps } } }, {}, ownerId);
    },
    queueSpecification,
    async until(id, is) {
      for (;;) {
        const now = await run(id);
        if (is(now)) return now;
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    },
    settle,
    async close() {
      await settle();
      await close();
      await rm(root, { recursive: true });
    },
  };
}

/** Starts a server, with retries if its database prevents the start. */
async function untilStarted(server: Server): Promise<void> {
  for (;;) {
    try {
      return await server.start();
    } catch (error) {
      if (!messageOf(error).includes(ON_PURPOSE)) throw error;
    }
  }
}
