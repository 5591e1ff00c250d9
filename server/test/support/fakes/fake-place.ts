import type { JobListener, JobRequest, JobState, RunningState } from "#backends/backend";
import { commandText, type JobEnd } from "#workflow/job/job";

/** The place where the jobs of a fake backend run. It stores job states and notifies the watchers. */
export class FakePlace {
  readonly states = new Map<string, JobState>();
  readonly started: string[] = [];
  readonly scripts: string[] = [];
  readonly folders: string[] = [];
  readonly secrets: JobRequest["secrets"][] = [];
  /** The sentence with which calls fail while the place is away. */
  absence: string | undefined;
  readonly #outsideIdOf: ((id: string) => string) | undefined;
  readonly #requests = new Map<string, JobRequest>();
  readonly #listeners = new Set<JobListener>();
  readonly #late: JobRequest[] = [];
  readonly #printed = new Map<string, Buffer[]>();
  readonly #waiting: { readonly index: number; readonly resolve: (id: string) => void }[] = [];
  /** Updates of jobs while the place was away, for the watchers. */
  readonly #untold: string[] = [];
  #nextReason: string | undefined;

  constructor(outsideIdOf: ((id: string) => string) | undefined) {
    this.#outsideIdOf = outsideIdOf;
  }

  /** Returns the state of a known job. An unknown one starts, or is queued if the test asked for that. */
  arrive(request: JobRequest): JobState {
    const known = this.states.get(request.id);
    if (known) return known;
    this.#requests.set(request.id, request);
    const reason = this.#nextReason;
    this.#nextReason = undefined;
    if (reason === undefined) this.#begin(request);
    else this.#set(request.id, { status: "queued", reason });
    return this.states.get(request.id)!;
  }

  arriveLate(request: JobRequest): void {
    this.#late.push(request);
  }

  beginLate(): void {
    for (const request of this.#late.splice(0)) if (!this.states.has(request.id)) this.arrive(request);
  }

  /** Returns the state of a job. A job unknown to this host counts as lost. */
  lose(id: string): JobState {
    if (!this.states.has(id))
      this.#set(id, { status: "ended", end: endOf({ reason: "lost", exitCode: null }) });
    return this.states.get(id)!;
  }

  cancel(id: string): JobEnd {
    const known = this.states.get(id);
    if (known?.status === "ended") return known.end;
    const hasBegun = known?.status === "running";
    const change = hasBegun
      ? { reason: "cancelled" as const }
      : { reason: "not-started" as const, startedAtMs: null };
    this.end(id, { ...change, exitCode: null });
    return (this.states.get(id) as { end: JobEnd }).end;
  }

  end(id: string, change: Partial<JobEnd>): void {
    if (this.states.get(id)?.status === "ended") return;
    this.#set(id, { status: "ended", end: endOf(change) });
    this.#tell(id);
  }

  queueNext(reason: string): void {
    this.#nextReason = reason;
  }

  requeue(id: string, reason: string): void {
    if (this.states.get(id)?.status !== "queued") return;
    this.#set(id, { status: "queued", reason });
    this.#tell(id);
  }

  beginQueued(id: string): void {
    if (this.states.get(id)?.status !== "queued") return;
    this.#begin(this.#requests.get(id)!);
    this.#tell(id);
  }

  /** Reports what is known of a running job. */
  report(id: string, how: Omit<RunningState, "status">): void {
    this.#set(id, { status: "running", ...how });
    this.#tell(id);
  }

  leave(sentence: string): void {
    this.absence = sentence;
  }

  comeBack(): void {
    this.absence = undefined;
    for (const id of this.#untold.splice(0)) this.#tell(id);
  }

  watch(listener: JobListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  forgetWatchers(): void {
    this.#listeners.clear();
  }

  print(id: string, text: string): void {
    this.#printed.set(id, [...(this.#printed.get(id) ?? []), Buffer.from(text)]);
  }

  logOf(id: string): Buffer {
    const script = this.scripts[this.started.indexOf(id)];
    const first = Buffer.from(script === undefined ? "" : `log of ${script}\n`);
    return Buffer.concat([first, ...(this.#printed.get(id) ?? [])]);
  }

  startedJob(index: number): Promise<string> {
    return new Promise((resolve) => {
      if (index < this.started.length) resolve(this.started[index]!);
      else this.#waiting.push({ index, resolve });
    });
  }

  #begin(request: JobRequest): void {
    this.#set(request.id, { status: "running" });
    this.scripts.push(commandText(request.job));
    this.folders.push(request.workspaceFolder);
    this.secrets.push(request.secrets);
    this.started.push(request.id);
    for (const { index, resolve } of this.#waiting) {
      if (index < this.started.length) resolve(this.started[index]!);
    }
  }

  #set(id: string, state: JobState): void {
    const outsideId = this.#outsideIdOf?.(id);
    this.states.set(id, outsideId === undefined ? state : { ...state, outsideId });
  }

  #tell(id: string): void {
    if (this.absence !== undefined) return void this.#untold.push(id);
    for (const listener of this.#listeners) listener(id, this.states.get(id)!);
  }
}

function endOf(change: Partial<JobEnd>): JobEnd {
  return { reason: "exited", exitCode: 0, startedAtMs: 1000, endedAtMs: 2000, ...change };
}
