import type { Backend, JobRequest, JobState } from "#backends/backend";
import type { JobEnd } from "#workflow/job";

/** A backend in memory whose jobs end when the test says so. It outlives the servers that use it, as a cluster does. */
export interface FakeBackend extends Backend {
  /** Ids in the order in which jobs were really started. */
  readonly started: string[];
  readonly scripts: string[];
  /** The workspace folder that each job was given. */
  readonly folders: string[];
  readonly secrets: JobRequest["secrets"][];
  /** The jobs whose leftovers were ended. */
  readonly endedLeftovers: ReadonlySet<string>;
  stateOf(id: string): JobState | undefined;
  end(id: string, end?: Partial<JobEnd>): void;
  /** Makes the next submission fail with this message. The job may still start later. */
  failNextSubmit(message: string): void;
  /** Starts the jobs whose submission failed, unless their claim was taken in between. */
  beginLate(): void;
  /** Adds to a job's output. */
  print(id: string, text: string): void;
  /** Number of requests for the size of a log. */
  readonly sizesAsked: number;
  /** Resolves with the id of the n-th started job, as soon as it is started. */
  startedJob(index: number): Promise<string>;
}

/** Creates the backend. `isHostBound`: whether only the host that submitted a job can see it. */
export function fakeBackend({ isHostBound = true } = {}): FakeBackend {
  const states = new Map<string, JobState>();
  const listeners = new Set<(id: string, end: JobEnd) => void>();
  const started: string[] = [];
  const scripts: string[] = [];
  const folders: string[] = [];
  const secrets: JobRequest["secrets"][] = [];
  const endedLeftovers = new Set<string>();
  const waiting: { index: number; resolve: (id: string) => void }[] = [];
  const late: JobRequest[] = [];
  const printed = new Map<string, Buffer[]>();
  let failure: string | undefined;
  let sizesAsked = 0;

  const settle = (id: string, end: JobEnd) => {
    if (states.get(id)?.status === "ended") return;
    states.set(id, { status: "ended", end });
    for (const listener of listeners) listener(id, end);
  };
  const endOf = (change: Partial<JobEnd>): JobEnd => ({
    reason: "exited",
    exitCode: 0,
    startedAtMs: 1000,
    endedAtMs: 2000,
    ...change,
  });

  const logOf = (id: string) => {
    const script = scripts[started.indexOf(id)];
    const first = Buffer.from(script === undefined ? "" : `log of ${script}\n`);
    return Buffer.concat([first, ...(printed.get(id) ?? [])]);
  };

  const begin = (request: JobRequest) => {
    states.set(request.id, { status: "running" });
    scripts.push(request.job.script);
    folders.push(request.workspaceFolder);
    secrets.push(request.secrets);
    started.push(request.id);
    for (const { index, resolve } of waiting) if (index < started.length) resolve(started[index]!);
  };

  return {
    name: "Fake",
    isHostBound,
    started,
    scripts,
    folders,
    secrets,
    async submit(request: JobRequest) {
      if (failure !== undefined) {
        const message = failure;
        failure = undefined;
        late.push(request);
        throw new Error(message);
      }
      const known = states.get(request.id);
      if (known) return known;
      begin(request);
      return { status: "running" };
    },
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async cancel(request) {
      const known = states.get(request.id);
      if (known?.status === "ended") return known.end;
      const change = known
        ? { reason: "cancelled" as const }
        : { reason: "not-started" as const, startedAtMs: null };
      settle(request.id, endOf({ ...change, exitCode: null }));
      return (states.get(request.id) as { end: JobEnd }).end;
    },
    async readLog(id, from, maxBytes) {
      return logOf(id).subarray(from).subarray(0, maxBytes);
    },
    async logSize(id) {
      sizesAsked += 1;
      return logOf(id).length;
    },
    get sizesAsked() {
      return sizesAsked;
    },
    print: (id, text) => void printed.set(id, [...(printed.get(id) ?? []), Buffer.from(text)]),
    endedLeftovers,
    stateOf: (id) => states.get(id),
    endLeftovers: async (ids) => ids.forEach((id) => void endedLeftovers.add(id)),
    remove: async (ids) => ids.forEach((id) => void states.delete(id)),
    close: async () => listeners.clear(),
    runningJobs: () => [...states.values()].filter((state) => state.status === "running").length,
    end: (id, end = {}) => settle(id, endOf(end)),
    failNextSubmit: (message) => void (failure = message),
    beginLate() {
      for (const request of late.splice(0)) if (!states.has(request.id)) begin(request);
    },
    startedJob: (index) =>
      new Promise((resolve) =>
        index < started.length ? resolve(started[index]!) : waiting.push({ index, resolve }),
      ),
  };
}
