import { execFileSync } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, onTestFinished } from "vitest";
import type { Backend, ExportedFile, JobRequest, JobState } from "#backends/backend";
import { systemRandom } from "#plumbing/ids";
import { commandText, type Job, type JobEnd } from "#workflow/job/job";

/** Opens the backend under test. `folder` is empty and belongs to this test. */
export type OpenBackend = (folder: string) => Promise<{
  readonly backend: Backend;
  /** Opens another server over the same state, as after a restart. */
  readonly reopen: () => Promise<Backend>;
  /** Opens a server over a new data folder with the given files. */
  readonly openCopy?: (files: readonly ExportedFile[]) => Promise<Backend>;
  /** The place of a backend that runs no command. */
  readonly place?: ControlledPlace;
  /** True if a job is lost whose token the backend has never issued, although other hosts can see its jobs. */
  readonly losesOtherTokens?: true;
  /** Further variables that the place gives to each job. */
  readonly ownVariables?: readonly string[];
}>;

/** Controls a place for jobs outside this machine, in a test. */
export interface ControlledPlace {
  finish(id: string, exitCode: number): void;
  /** Makes the next submitted job wait in the queue for this reason. */
  queueNext(reason: string): void;
  /** Changes the reason for which a queued job waits. */
  requeue(id: string, reason: string): void;
  /** Starts a queued job. */
  begin(id: string): void;
  /** Makes all calls fail with this sentence, until `comeBack`. Jobs continue. */
  leave(sentence: string): void;
  comeBack(): void;
  /** Makes the next submission or cancellation fail although it takes effect. */
  loseNextAnswer(): void;
  /** Number of starts of the job's command. */
  begins(id: string): number;
}

interface Opened {
  readonly backend: Backend;
  readonly ends: Ends;
}

export interface BackendFixture extends Opened {
  readonly workspaceFolder: string;
  /** The place of a backend that runs no command. */
  readonly place: ControlledPlace;
  readonly losesOtherTokens: boolean;
  readonly ownVariables: readonly string[];
  request(script: string, change?: Partial<Job>): JobRequest;
  openCopy(files: readonly ExportedFile[]): Promise<Backend>;
  /** A job that runs until `finish`. */
  held(): Promise<JobRequest>;
  finish(job: JobRequest, exitCode: number): Promise<void>;
  reopen(): Promise<Opened>;
  /** The lines of a file that commands wrote in the workspace. */
  lines(file: string): Promise<string[]>;
}

/** Deletes files of the tests' own jobs: `rm` is enough. */
export const removeTree = (folder: string) => rm(folder, { recursive: true, force: true });

/** Renames the folder, then deletes it: a late, cancelled order finds no folder, instead of half a folder. */
export async function removeAtOnce(folder: string): Promise<void> {
  await rename(folder, `${folder}.gone`);
  await rm(`${folder}.gone`, { recursive: true });
}

/** Writes exported files into a new data folder, which is removed after the test. */
export async function folderOf(files: readonly ExportedFile[]): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-copy-"));
  onTestFinished(() => removeTree(folder));
  for (const file of files) {
    const target = path.join(folder, file.path);
    await mkdir(path.dirname(target), { recursive: true });
    if ("content" in file) await writeFile(target, file.content);
    else await copyFile(file.copyOf, target);
  }
  return folder;
}

/** Opens a backend for each test, with a workspace for its jobs. */
export function backendFixture(open: OpenBackend): BackendFixture {
  let folder: string;
  let workspaceFolder: string;
  let subject: Awaited<ReturnType<OpenBackend>>;
  let ends: Ends;
  const opened: Backend[] = [];
  const requests: JobRequest[] = [];

  const adopt = (backend: Backend): Opened => {
    opened.push(backend);
    return { backend, ends: watchEnds(backend) };
  };

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "reprise-backend-"));
    workspaceFolder = await mkdtemp(path.join(os.tmpdir(), "reprise-workspace-"));
    subject = await open(folder);
    ({ ends } = adopt(subject.backend));
  });

  afterEach(async () => {
    subject.place?.comeBack();
    const last = await subject.reopen();
    await Promise.all(requests.splice(0).map((request) => last.cancel(request)));
    await Promise.all([last, ...opened.splice(0)].map((backend) => backend.close()));
    await removeAtOnce(folder);
    await rm(workspaceFolder, { recursive: true, force: true });
  });

  const request = (script: string, change: Partial<Job> = {}): JobRequest => {
    const job = jobOf(script, change);
    const { hostToken } = subject.backend;
    const made = { id: systemRandom.uuid(), job, workspaceFolder, hostToken };
    requests.push(made);
    return made;
  };

  return {
    get backend() {
      return subject.backend;
    },
    get ends() {
      return ends;
    },
    get workspaceFolder() {
      return workspaceFolder;
    },
    get place() {
      return subject.place!;
    },
    get losesOtherTokens() {
      return subject.losesOtherTokens ?? subject.backend.isHostBound;
    },
    get ownVariables() {
      return subject.ownVariables ?? [];
    },
    request,
    async openCopy(files) {
      const copy = await subject.openCopy!(files);
      opened.push(copy);
      return copy;
    },
    async held() {
      const gate = `gate-${requests.length}`;
      if (!subject.place) execFileSync("mkfifo", [path.join(workspaceFolder, gate)]);
      return request(`read -r code < ${gate}; exit $code`);
    },
    async finish(job, exitCode) {
      if (subject.place) return subject.place.finish(job.id, exitCode);
      const gate = /gate-\d+/.exec(commandText(job.job))![0];
      await writeFile(path.join(workspaceFolder, gate), `${exitCode}\n`);
    },
    reopen: async () => adopt(await subject.reopen()),
    lines: async (file) => (await readFile(path.join(workspaceFolder, file), "utf8")).trim().split("\n"),
  };
}

/** A job with a command and no other fields. */
export function jobOf(script: string, change: Partial<Job> = {}): Job {
  return {
    key: "k",
    name: "n",
    node: "0",
    command: { script },
    displayCommand: script,
    image: null,
    environment: {},
    ...change,
  };
}

/**
 * Submits a job, and returns its state once it has left the queue of its place. A place that queues nothing by itself
 * starts a job at once.
 */
export async function begun(backend: Backend, job: JobRequest): Promise<JobState> {
  for (;;) {
    const state = await backend.submit(job);
    if (state.status !== "queued") return state;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export interface Ends {
  of(id: string): Promise<JobEnd>;
  /** All reports about a job until now, in order. */
  told(id: string): readonly JobState[];
}

/** Remembers all reports, and throws if a job is reported again after its end. */
export function watchEnds(backend: Backend): Ends {
  const ends = new Map<string, JobEnd>();
  const told = new Map<string, JobState[]>();
  const waiting = new Map<string, (end: JobEnd) => void>();
  backend.watch((id, state) => {
    if (ends.has(id)) throw new Error(`Job ${id} was reported as ${state.status} after its end.`);
    told.set(id, [...(told.get(id) ?? []), state]);
    if (state.status !== "ended") return;
    ends.set(id, state.end);
    waiting.get(id)?.(state.end);
  });
  return {
    told: (id) => told.get(id) ?? [],
    of: (id) => new Promise((resolve) => (ends.has(id) ? resolve(ends.get(id)!) : waiting.set(id, resolve))),
  };
}

/** Resolves when the file holds a whole line. */
export async function appears(file: string): Promise<void> {
  for (;;) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (text.endsWith("\n")) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export async function isGone(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "gone) Z");
  return stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
}

/** Returns a `sleep` command that is unique among all tests. */
export function uniqueSleep(): string {
  return `sleep 1000.${systemRandom.bytes(6).readUIntBE(0, 6)}`;
}

/**
 * Returns the processes of this machine with this command line. A job in a PID namespace sees different
 * process ids than the machine.
 */
export async function processesWith(commandLine: string): Promise<readonly number[]> {
  const wanted = commandLine.replaceAll(" ", "\0");
  const all = (await readdir("/proc")).map(Number).filter(Number.isInteger);
  const lines = await Promise.all(all.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return all.filter((_, index) => lines[index] === `${wanted}\0`);
}
