import type { Backend } from "../../server/src/backends/backend.ts";
import { type Connection, transaction } from "../../server/src/store/database/database.ts";
import { insertRunEvent } from "../../server/src/store/events/run-events.ts";
import { moveRun } from "../../server/src/store/runs/move-run.ts";
import { insertRun } from "../../server/src/store/runs/runs.ts";
import { insertUser } from "../../server/src/store/users/users.ts";
import type { Specification } from "../../server/src/workflow/specification/specification.ts";

/** Name of the queued run. */
export const RUN_NAME = "long";

/** Queues a run of a workflow. It belongs to the user with the id `user`. */
export async function queueRun(
  db: Connection,
  id: string,
  workflow: Specification["workflow"],
): Promise<void> {
  await insertUser(db, { id: "user", email: "a@b.c", isAdmin: false, disabledAtMs: null, createdAtMs: 0 });
  const ids = { id, ownerId: "user", workspaceId: "workspace", name: RUN_NAME };
  const run = { ...ids, language: workflow.type, specification: { workflow }, launcherUrl: null };
  await transaction(db, async (connection) => {
    await insertRun(connection, { ...run, createdAtMs: 0 });
    await moveRun(connection, { runId: id, to: "queued", by: "user", atMs: 0 });
    await insertRunEvent(connection, id, { seq: 0, kind: "start", body: {}, log: "", atMs: 0 });
  });
}

/** A workspace with one output file per job. */
export const WORKSPACE = {
  folder: "/nowhere",
  create: async () => undefined,
  endStaging: async () => undefined,
  stagedJobs: async () => [],
  collectResults: async () => undefined,
  maybeStamps: async () => ({ stamps: {}, newestMs: 0 }),
  forRun: () => ({
    list: async ({ name }: { readonly name: string }) => ({
      entries: [{ name: `${name}/out.bam`, kind: "file", bytes: 1 }],
      isCut: false,
    }),
    look: async () => ({ kind: "absent" }),
    write: async () => undefined,
    maybeStampsAt: async () => [],
    digest: async () => ({ bytes: 1, digest: "da39a3ee5e6b4b0d3255bfef95601890afd80709" }),
  }),
};

/** A benchmark backend, with statistics of its submissions. */
export interface EndingAtOnce {
  readonly backend: Backend;
  readonly jobs: () => number;
  /** Time of the first submission. */
  readonly firstJobAtMs: () => number | undefined;
}

/**
 * A backend without processes, whose jobs end immediately after submission. On submission of the job after
 * `dieAfter` others, this process dies of SIGKILL.
 */
export function endingAtOnce(dieAfter: number): EndingAtOnce {
  const end = { reason: "exited", exitCode: 0, startedAtMs: 1, endedAtMs: 2 } as const;
  const listeners = new Set<Parameters<Backend["watch"]>[0]>();
  let jobs = 0;
  let firstJobAtMs: number | undefined;
  const backend: Backend = {
    name: "Fake",
    isHostBound: false,
    capabilities: { computeBackends: ["fake"], provides: () => [] },
    hostToken: "host",
    async submit({ id }) {
      jobs += 1;
      firstJobAtMs ??= performance.now();
      if (jobs > dieAfter) process.kill(process.pid, "SIGKILL");
      setImmediate(() => listeners.forEach((listener) => listener(id, { status: "ended", end })));
      return { status: "running" };
    },
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    cancel: async () => end,
    readLog: async () => Buffer.alloc(0),
    logSize: async () => 0,
    endLeftovers: async () => undefined,
    remove: async () => undefined,
    away: () => undefined,
    export: async () => [],
    close: async () => undefined,
    runningJobs: () => 0,
  };
  return { backend, jobs: () => jobs, firstJobAtMs: () => firstJobAtMs };
}
