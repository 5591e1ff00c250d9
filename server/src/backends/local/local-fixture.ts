import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import type { Backend, JobRequest } from "#backends/backend";
import { jobOf, removeAtOnce, removeTree, watchEnds } from "#backends/backend-fixture";
import { readBootId } from "#backends/process/table/boot-id";
import { type LocalBackendOptions, openLocalBackend } from "#backends/local/local-backend";
import { markedProcesses, markOfJob } from "#backends/process/table/marked-processes";
import { signal } from "#backends/process/table/process-table";
import { endIn } from "#backends/process/attempt/record";
import { systemClock } from "#plumbing/clock";
import { systemRandom } from "#plumbing/ids";
import type { Job, JobEnd } from "#workflow/job/job";

/**
 * A folder of jobs, a workspace, and as many backends over them as a test opens. Tests reach the real backend only this
 * way.
 */
export interface LocalFixture {
  readonly folder: string;
  readonly workspaceFolder: string;
  /** Problems reported by the backends. */
  readonly reports: string[];
  open(change?: Partial<LocalBackendOptions>): Backend;
  request(script: string, change?: Partial<Job>): JobRequest;
  /** Submits a job and waits for its end. */
  run(
    backend: Backend,
    script: string,
    change?: Partial<Job>,
  ): Promise<{ id: string; end: JobEnd; log: string }>;
  /** Returns the content of a file that the command writes in the workspace, once a whole line is written. */
  written(file: string): Promise<string>;
  record(id: string): Promise<string>;
  /** Resolves when the record has an end, whether a server is running or not. */
  ended(id: string): Promise<void>;
  /** Returns the pids of the backends' own running processes: slots and keepers. */
  helpers(script?: "slot.sh" | "keeper-process.ts"): Promise<number[]>;
  /** Closes what was opened and leaves no process of any job, and no slot or keeper that a test has stopped. */
  close(): Promise<void>;
}

export const BOOT_ID = readBootId();
/** The programs of slots and keeper. */
const HELPERS = /\/(?:slot|start-slots)\.sh$|\/keeper-process\.ts$/;

export const HOST_ID = "test-host";

/** Returns the processes that descend from these jobs of the fixture's backends. */
export async function processesOf(ids: Iterable<string>): Promise<readonly number[]> {
  return (await markedProcesses(new Set([...ids].map((id) => markOfJob(HOST_ID, id))))).pids;
}

/** Returns the slots of the first start, once all are running and the keeper knows them. */
export async function knownSlots({ folder }: LocalFixture): Promise<readonly number[]> {
  for (;;) {
    const slots = await readdir(path.join(folder, "slots"));
    if (slots.length >= Math.min(4, os.availableParallelism())) return slots.map(Number);
    await delay(10);
  }
}

export async function localFixture(): Promise<LocalFixture> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-jobs-"));
  const workspaceFolder = await mkdtemp(path.join(os.tmpdir(), "reprise-workspace-"));
  const reports: string[] = [];
  const opened: Backend[] = [];
  const ids = new Set<string>();
  const ends = new Map<Backend, ReturnType<typeof watchEnds>>();

  const request = (script: string, change?: Partial<Job>): JobRequest => {
    const id = systemRandom.uuid();
    ids.add(id);
    return { id, job: jobOf(script, change), workspaceFolder, hostToken: BOOT_ID };
  };

  const fixture: LocalFixture = {
    folder,
    workspaceFolder,
    reports,
    open(change = {}) {
      const log = { error: (_: object, message: string) => void reports.push(message) };
      const given = {
        folder,
        hostId: HOST_ID,
        bootId: BOOT_ID,
        clock: systemClock,
        maxOutputBytes: 2 ** 30,
        removeTree,
        log,
        ...change,
      };
      const backend = openLocalBackend(given);
      opened.push(backend);
      ends.set(backend, watchEnds(backend));
      return backend;
    },
    request,
    async run(backend, script, change) {
      const job = request(script, change);
      await backend.submit(job);
      const end = await ends.get(backend)!.of(job.id);
      return { id: job.id, end, log: String(await backend.readLog(job.id, 0, 2 ** 20)) };
    },
    async written(file) {
      for (;;) {
        const text = await readFile(path.join(workspaceFolder, file), "utf8").catch(() => "");
        if (text.endsWith("\n")) return text.slice(0, -1);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    record: (id) => readFile(path.join(folder, id, "record"), "utf8"),
    async ended(id) {
      while (!endIn(path.join(folder, id))) await new Promise((resolve) => setTimeout(resolve, 20));
    },
    async helpers(script) {
      const all = (await readdir("/proc")).filter((entry) => /^\d+$/.test(entry));
      const commands = await Promise.all(
        all.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
      );
      const isOurs = (words: string[]) =>
        words.includes(folder) && words.some((word) => HELPERS.test(word) && word.endsWith(script ?? ""));
      return all.filter((_, index) => isOurs(commands[index]!.split("\0"))).map(Number);
    },
    async close() {
      await Promise.all(opened.map((backend) => backend.close()));
      for (const pid of await processesOf(ids)) signal(pid, "SIGKILL");
      // A stopped process never sees that its server has gone, and a keeper continues only slots in the folder.
      for (const pid of await fixture.helpers()) signal(pid, "SIGCONT");
      await removeAtOnce(folder);
      await rm(workspaceFolder, { recursive: true, force: true });
    },
  };
  return fixture;
}

/** Gives a test a separate fixture, to run the test concurrently. */
export function withLocal(body: (local: LocalFixture) => Promise<void>): () => Promise<void> {
  return async () => {
    const local = await localFixture();
    try {
      await body(local);
    } finally {
      await local.close();
    }
  };
}

/** Opens a fixture and a backend for all tests of the calling group, and closes both afterwards. */
export function sharedLocal(
  take: (opened: { readonly local: LocalFixture; readonly backend: Backend }) => void,
): void {
  let local: LocalFixture;
  beforeAll(async () => {
    local = await localFixture();
    take({ local, backend: local.open() });
  });
  afterAll(() => local.close());
}
