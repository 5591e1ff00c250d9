import { readFile, writeFile } from "node:fs/promises";
import { Readable } from "node:stream";
import type { JobView, RunView, RunService } from "#cli/run/service/run-service";
import { isOver, type RunStatus } from "#workflow/run/run-status";

/** A service with runs scripted by a test. Records every call. */
export interface FakeRunService extends RunService {
  readonly asked: string[];
  /** Uploaded files and files that the run has produced, by name. */
  readonly files: Map<string, string>;
  /** Successive results of `view`. The last result repeats. */
  views: RunView[];
}

export function fakeRunService(parts: Partial<RunService> = {}): FakeRunService {
  const asked: string[] = [];
  let created = 0;
  const files = new Map<string, string>();
  const note = (...words: unknown[]) => void asked.push(words.map(inWord).join(" "));
  const service: FakeRunService = {
    asked,
    files,
    views: [viewOf("finished")],
    async create(name, specification) {
      note("create", name);
      files.set("specification", JSON.stringify(specification));
      created += 1;
      return { id: `${created}d`, name: `${name}.${created}`, warnings: [] };
    },
    async createFromGit(name, address) {
      note("create", name, address);
      return { id: "1d", name: `${name}.1`, warnings: [] };
    },
    async find(name) {
      note("find", name);
      return { id: "1d", name: `${name}.1`, warnings: [] };
    },
    specification: async () => JSON.parse(files.get("specification") ?? "{}") as unknown,
    async upload(_id, sent, { signal, onBytes, onFile }) {
      for (const { name, file, bytes } of sent) {
        signal.throwIfAborted();
        note("upload", name);
        files.set(name, await readFile(file, "utf8"));
        onBytes(bytes);
        onFile();
      }
    },
    async start(_id, { parameters, options }) {
      note("start", { ...parameters, ...options });
      return undefined;
    },
    view: async () => (service.views.length > 1 ? service.views.shift()! : service.views[0]!),
    failure: async () => undefined,
    async *printed(_id, jobId, from) {
      const text = Buffer.from(files.get(`log of ${jobId}`) ?? "").subarray(from);
      if (text.length > 0) yield text;
    },
    async stop() {
      note("stop");
      service.views = [viewOf("stopped")];
    },
    discard: async () => note("discard"),
    list: async (_id, wanted) =>
      [...files]
        .filter(([name]) => name === wanted || name.startsWith(`${wanted}/`))
        .map(([name, content]) => ({ name, bytes: content.length })),
    read: async (_id, name) => Readable.from([Buffer.from(files.get(name)!)]),
    async fetch(_id, name, target, onBytes) {
      const content = files.get(name)!;
      await writeFile(target, content, { flag: "wx" });
      onBytes(content.length);
    },
    async close() {
      note("close");
      return { unfinished: [] };
    },
    ...parts,
  };
  return service;
}

function inWord(word: unknown): string {
  return typeof word === "string" ? word : JSON.stringify(word);
}

export function viewOf(status: RunStatus, jobs: readonly Partial<JobView>[] = []): RunView {
  const all = jobs.map((job, index) => jobOf({ id: `job ${index}`, ...job }));
  const jobsFinished = all.filter((job) => job.status === "finished").length;
  const tookMs = isOver(status) ? 1500 : undefined;
  return { status, waitingFor: undefined, tookMs, jobsTotal: all.length, jobsFinished, jobs: all };
}

function jobOf(job: Partial<JobView>): JobView {
  const { step = "fit", command = "python fit.py" } = job;
  return {
    id: "job",
    step,
    label: step,
    command,
    shownCommand: command,
    status: "running",
    reason: null,
    tookMs: undefined,
    ...job,
  };
}
