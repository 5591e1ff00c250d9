import type { Backend, JobRequest, JobState } from "#backends/backend";
import type { Engine, EngineInput, Instruction, JobEnded } from "#engines/engine";
import type { Clock } from "#plumbing/clock";
import { messageOf } from "#plumbing/errors";
import { jobIdOf } from "#runner/job-id";
import { type Moment, record } from "#runner/record";
import { type Advance, begin, engineInput, jobEnded, replay, type RunState } from "#runner/run-state";
import type { Connection } from "#store/database";
import { jobsOfWorkflow } from "#store/jobs";
import { runEvents } from "#store/run-events";
import { oneDefinition, type Workflow } from "#store/workflows";
import { type Job, type JobEnd, succeeded } from "#workflow/job";
import type { Language } from "#workflow/language";
import type { Workspaces } from "#workspace/workspaces";

export interface RunnerContext {
  readonly db: Connection;
  readonly clock: Clock;
  readonly engines: ReadonlyMap<Language, Engine>;
  readonly backend: Backend;
  readonly workspaces: Pick<Workspaces, "folder" | "create">;
  readonly bootId: string;
}

/** Drives one run from where its recorded events left it to its end. */
export interface RunDriver {
  readonly workflowId: string;
  /** Ends the run's jobs, then the run. */
  stop(): void;
  /** Records no further event; jobs go on. Answers when what was under way has been written. */
  letGo(): Promise<void>;
  /** Settles when the run has reached its end; rejects when driving it went wrong, and a new driver should try. */
  readonly done: Promise<void>;
}

/** How much of a failed job's log is kept with the event. */
const LAST_LINES = 20;
const LAST_LINES_MAX_BYTES = 8192;

export function driveRun(context: RunnerContext, workflow: Workflow): RunDriver {
  const driving = new Driving(context, workflow);
  return {
    workflowId: workflow.id,
    stop: () => driving.enqueue(() => driving.stop()),
    letGo: () => driving.letGo(),
    done: driving.done,
  };
}

/** What happens to a run happens one thing after the other: everything goes through one queue. */
class Driving {
  readonly done: Promise<void>;
  readonly #context: RunnerContext;
  readonly #workflow: Workflow;
  readonly #engine: Engine | undefined;
  readonly #placement: { backend: string; bootId: string };
  readonly #keys = new Map<string, string>();
  readonly #unwatch: () => void;
  #queue: Promise<void>;
  #state: RunState | undefined;
  #over = false;
  #settle!: { resolve: () => void; reject: (error: unknown) => void };

  constructor(context: RunnerContext, workflow: Workflow) {
    this.#context = context;
    this.#workflow = workflow;
    this.#engine = context.engines.get(workflow.language);
    this.#placement = { backend: context.backend.name, bootId: context.bootId };
    this.done = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    this.#unwatch = context.backend.watch((id, end) => {
      const key = this.#keys.get(id);
      if (key !== undefined) this.enqueue(() => this.#onJobEnd(key, end));
    });
    this.#queue = Promise.resolve();
    this.enqueue(() => this.#open());
  }

  enqueue(task: () => Promise<void>): void {
    this.#queue = this.#queue
      .then(() => (this.#over ? undefined : task()))
      .catch((error) => this.#end(error));
  }

  async letGo(): Promise<void> {
    const queue = this.#queue;
    this.enqueue(async () => this.#end());
    await queue;
  }

  /** The recorded events are applied again; jobs that have no end yet are asked for by their known ids. */
  async #open(): Promise<void> {
    const { db, workspaces } = this.#context;
    const definition = await oneDefinition(db, this.#workflow.id);
    const events = await runEvents(db, this.#workflow.id);
    const input = engineInput(definition);
    await workspaces.create(this.#workflow.workspaceId);
    this.#state = this.#engine && replay(this.#engine, input, events);
    if (this.#workflow.stopRequestedAtMs !== null) return this.stop();
    if (this.#state) return this.#takeUp(this.#state);
    await this.#begin(input, events.length);
  }

  async #begin(input: EngineInput, seq: number): Promise<void> {
    const engine = this.#engine;
    if (!engine) {
      const reason = `This server has no engine for ${this.#workflow.language} workflows.`;
      const advance = { instructions: [{ do: "fail", reason }], state: emptyState(seq + 1) } as const;
      return this.#advance({ kind: "begun", body: null, ended: [], moveTo: "running" }, advance, 0);
    }
    await this.#advance(
      { kind: "begun", body: null, ended: [], moveTo: "running" },
      begin(engine, input, seq),
      0,
    );
  }

  async #takeUp(state: RunState): Promise<void> {
    const known = await jobsOfWorkflow(this.#context.db, this.#workflow.id);
    const bootIds = new Map(known.map((job) => [job.key, job.bootId]));
    for (const job of state.outstanding.values()) {
      await this.#handOut(job, bootIds.get(job.key) ?? this.#context.bootId);
    }
  }

  async #onJobEnd(key: string, end: JobEnd): Promise<void> {
    const state = this.#state;
    if (!this.#engine || !state?.outstanding.has(key)) return;
    const lastLines = succeeded(end) ? [] : await this.#lastLines(key);
    const event: JobEnded = { kind: "job-ended", key, end, lastLines };
    const advance = jobEnded(this.#engine, state, event);
    await this.#advance({ kind: "job-ended", body: event, ended: [{ key, end }] }, advance, state.jobCount);
  }

  /** Record first; only what is recorded is carried out. */
  async #advance(
    moment: Pick<Moment, "kind" | "body" | "ended" | "moveTo">,
    advance: Advance,
    firstOrdinal: number,
  ): Promise<void> {
    const { db, clock } = this.#context;
    const seq = advance.state.nextSeq - 1;
    const { instructions } = advance;
    const atMs = clock.now();
    const whole = { ...moment, workflowId: this.#workflow.id, seq, atMs, instructions, firstOrdinal };
    await record(db, whole, this.#placement);
    this.#state = advance.state;
    await this.#carryOut(instructions);
  }

  async #carryOut(instructions: readonly Instruction[]): Promise<void> {
    const isOver = instructions.some(({ do: word }) => word === "finish" || word === "fail");
    for (const instruction of instructions) {
      if (instruction.do === "submit") await this.#handOut(instruction.job, this.#context.bootId);
    }
    if (isOver) await this.#leaveNothing();
  }

  async #handOut(job: Job, bootId: string): Promise<void> {
    const request = this.#request(job, bootId);
    this.#keys.set(request.id, job.key);
    const state = await this.#submit(request);
    if (state.status === "ended") this.enqueue(() => this.#onJobEnd(job.key, state.end));
  }

  /** A job that could not be handed out must not start behind our back: its claim is taken before the run goes on. */
  async #submit(request: JobRequest): Promise<JobState> {
    try {
      return await this.#context.backend.submit(request);
    } catch (error) {
      this.#keys.delete(request.id);
      const end = await this.#context.backend.cancel(request);
      return { status: "ended", end: { ...end, detail: messageOf(error) } };
    }
  }

  async stop(): Promise<void> {
    const jobs = [...(this.#state?.outstanding.values() ?? [])];
    const ended = await Promise.all(
      jobs.map(async (job) => ({
        key: job.key,
        end: await this.#context.backend.cancel(this.#request(job, this.#context.bootId)),
      })),
    );
    const state = this.#state ?? emptyState((await runEvents(this.#context.db, this.#workflow.id)).length);
    const line = "The run was stopped.";
    const log: Instruction = { do: "log", logger: "root", level: "INFO", line };
    const advance = { instructions: [log], state: { ...state, nextSeq: state.nextSeq + 1 } };
    await this.#advance(
      { kind: "stopped", body: { ended }, ended, moveTo: "stopped" },
      advance,
      state.jobCount,
    );
    await this.#leaveNothing();
  }

  /** The run has reached its end: what its jobs left in the background ends too. */
  async #leaveNothing(): Promise<void> {
    const jobs = await jobsOfWorkflow(this.#context.db, this.#workflow.id);
    await this.#context.backend.endLeftovers(jobs.map((job) => job.id));
    this.#end();
  }

  #end(error?: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#unwatch();
    if (error === undefined) this.#settle.resolve();
    else this.#settle.reject(error);
  }

  #request(job: Job, bootId: string): JobRequest {
    const { workspaces } = this.#context;
    const workspaceFolder = workspaces.folder(this.#workflow.workspaceId);
    const environment = {
      ...job.environment,
      REANA_WORKSPACE: workspaceFolder,
      REANA_WORKFLOW_UUID: this.#workflow.id,
    };
    const id = jobIdOf(this.#workflow.id, job.key, 1);
    return { id, job: { ...job, environment }, workspaceFolder, bootId };
  }

  async #lastLines(key: string): Promise<string[]> {
    const id = jobIdOf(this.#workflow.id, key, 1);
    const bytes = await this.#context.backend.readLog(id, -LAST_LINES_MAX_BYTES, LAST_LINES_MAX_BYTES);
    const lines = bytes.toString("utf8").trimEnd().split("\n").slice(-LAST_LINES);
    return lines.length === 1 && lines[0] === "" ? [] : lines;
  }
}

function emptyState(nextSeq: number): RunState {
  return { engineState: null, outstanding: new Map(), nextSeq, jobCount: 0 };
}
