import { describeFailure } from "#engines/describe-failure";
import {
  clusterFiles,
  clusterGraph,
  SCHEDULER,
  schedulerJob,
  withCluster,
  WORKER_ATTEMPTS_MAX,
  workerJob,
  workerKey,
} from "#engines/dask/dask-jobs";
import {
  type Ending,
  type Engine,
  type EngineEvent,
  type EngineInput,
  type Instruction,
  isEnding,
  type JobEndEvent,
  type LoadedWorkflow,
  type RunRequest,
  type Step,
} from "#engines/engine";
import { placesLeft } from "#engines/outstanding";
import { attemptOf } from "#workflow/job/job";
import { type DaskCluster, isClusterKey, maybeDask } from "#workflow/specification/dask";

/** Raised if the jobs or asks of a cluster may change for equal events. */
const VERSION = 0;
const ADDRESS = "dask:address";
const STOP = "dask:stop";
/** Jobs and asks that a workflow needs in addition to its cluster. */
const PLACES_MIN = 3;

/** The state of a run with a Dask cluster. */
interface DaskState<State> {
  readonly phase: "opening" | "open" | "closing" | "ended";
  /** State of the workflow itself. Null while the cluster opens. */
  readonly inner: State | null;
  /** Address of the scheduler. Empty while the cluster opens. */
  readonly address: string;
  /** The attempt of each running member, by key. */
  readonly members: Readonly<Record<string, number>>;
  /** The end of the workflow, while its cluster closes. */
  readonly ending?: Ending;
}

/**
 * Returns an engine that also runs workflows with a Dask cluster. The scheduler and the workers are jobs of the run, so
 * every backend can run them, and a restarted server finds them like all other jobs. The workflow itself starts once the
 * scheduler listens.
 */
export function withDask<State>(engine: Engine<State>): Engine {
  const { reuse } = engine;
  return {
    ...(engine as Engine),
    version: engine.version + VERSION,
    load(given, evaluate) {
      const input = { ...given, ...withoutCluster(given) };
      const cluster = maybeDask(input.specification);
      if (!cluster) return engine.load(input, evaluate);
      const run = { ...input.run, mostOutstanding: placesLeft(input.run, cluster.workers + 2) };
      const inner = engine.load({ ...input, run }, evaluate);
      return new DaskRun(input, cluster, inner);
    },
    ...(reuse && {
      reuse: {
        ask: (request) => reuse.ask(withoutCluster(request)),
        judge: (request, stamped) => reuse.judge(withoutCluster(request), stamped),
        leftovers: (request, stamped) => reuse.leftovers(withoutCluster(request), stamped),
      },
    }),
  };
}

/** Hides the jobs of an earlier cluster: a restart makes a new one. */
function withoutCluster(request: RunRequest): RunRequest {
  const previous = request.restart?.previous;
  if (!previous) return request;
  const jobs = previous.jobs.filter(({ key }) => !isClusterKey(key));
  return { ...request, restart: { ...request.restart, previous: { ...previous, jobs } } };
}

class DaskRun<State> implements LoadedWorkflow<DaskState<State>> {
  readonly #input: EngineInput;
  readonly #cluster: DaskCluster;
  readonly #inner: LoadedWorkflow<State>;

  constructor(input: EngineInput, cluster: DaskCluster, inner: LoadedWorkflow<State>) {
    this.#input = input;
    this.#cluster = cluster;
    this.#inner = inner;
  }

  start(): Step<DaskState<State>> {
    const first: DaskState<State> = {
      phase: "opening",
      inner: null,
      address: "",
      members: { [SCHEDULER]: 1 },
    };
    const needed = this.#cluster.workers + 2 + PLACES_MIN;
    const most = placesLeft(this.#input.run, 0);
    if (most < needed) {
      const need = `A workflow with ${this.#cluster.workers} Dask workers needs a server with --max-outstanding of at least`;
      return failed(first, `${need} ${needed}; this run may have ${most}.`);
    }
    const { address: path } = clusterFiles(this.#input);
    return {
      state: first,
      instructions: [
        log("Starting a Dask cluster."),
        { do: "submit", job: schedulerJob(this.#input, this.#cluster) },
        { do: "hear", id: ADDRESS, path, from: 0 },
      ],
    };
  }

  apply(state: DaskState<State>, event: EngineEvent): Step<DaskState<State>> {
    if (state.phase === "ended") return unchanged(state);
    if (event.kind === "job-ended" && isClusterKey(event.key)) return this.#memberEnded(state, event);
    if (event.kind !== "job-ended" && event.id === ADDRESS) return this.#addressHeard(state, event);
    if (event.kind !== "job-ended" && event.id === STOP) return this.#stopWritten(state, event);
    if (state.inner === null || state.phase !== "open") return unchanged(state);
    return this.#relay(state, this.#inner.apply(state.inner, event));
  }

  graph() {
    const [own, inner] = [clusterGraph(this.#cluster), this.#inner.graph()];
    return { nodes: [...own.nodes, ...inner.nodes], edges: [...own.edges, ...inner.edges] };
  }

  /** Starts the workers and the workflow. Steps may connect before the workers do: Dask waits for workers. */
  #addressHeard(state: DaskState<State>, event: EngineEvent): Step<DaskState<State>> {
    if (state.phase !== "opening") return unchanged(state);
    if (event.kind === "refused")
      return failed(state, `The address of the Dask scheduler cannot be read: ${event.reason}`, SCHEDULER);
    if (event.kind !== "heard") return unchanged(state);
    const address = event.lines[0]!;
    const numbers = Array.from({ length: this.#cluster.workers }, (_, index) => index + 1);
    const workers = Object.fromEntries(numbers.map((number) => [workerKey(number), 1]));
    const open = { ...state, phase: "open", address, members: { ...state.members, ...workers } } as const;
    const begun = this.#relay(open, this.#inner.start());
    return {
      state: begun.state,
      instructions: [
        log(`The Dask scheduler listens at ${address}.`),
        ...numbers.map((number) => this.#submitWorker(open, number, 1)),
        ...begun.instructions,
      ],
    };
  }

  #submitWorker({ address }: DaskState<State>, number: number, attempt: number): Instruction {
    return { do: "submit", job: workerJob(this.#input, this.#cluster, { number, attempt, address }) };
  }

  /** Passes on the workflow's instructions. A finished workflow first ends its cluster. */
  #relay(state: DaskState<State>, step: Step<State>): Step<DaskState<State>> {
    const next = { ...state, inner: step.state };
    const instructions = step.instructions.map((one) => this.#relayed(state, one));
    const ending = instructions.find(isEnding);
    if (!ending) return { state: next, instructions };
    if (ending.do === "fail") return { state: { ...next, phase: "ended" }, instructions };
    const { stop } = clusterFiles(this.#input);
    const others = instructions.filter((one) => one !== ending);
    return {
      state: { ...next, phase: "closing", ending },
      instructions: [...others, { do: "write", id: STOP, files: [{ path: stop, text: "" }] }],
    };
  }

  #relayed(state: DaskState<State>, instruction: Instruction): Instruction {
    if (instruction.do === "expect")
      return { do: "expect", jobs: instruction.jobs + this.#cluster.workers + 1 };
    if (instruction.do !== "submit") return instruction;
    return { ...instruction, job: withCluster(instruction.job, this.#input, state.address) };
  }

  /** If the members cannot be asked to end, the end of the run ends them. */
  #stopWritten(state: DaskState<State>, { kind }: EngineEvent): Step<DaskState<State>> {
    if (state.phase !== "closing" || kind !== "refused") return unchanged(state);
    return { state: { ...state, phase: "ended" }, instructions: [state.ending!] };
  }

  #memberEnded(state: DaskState<State>, event: JobEndEvent): Step<DaskState<State>> {
    if (state.members[event.key] !== attemptOf(event)) return unchanged(state);
    const { [event.key]: _, ...members } = state.members;
    const next = { ...state, members };
    if (state.phase === "closing") return this.#closed(next);
    if (event.key === SCHEDULER) return failed(next, failureOf("The Dask scheduler", event), SCHEDULER);
    return this.#workerEnded(next, event);
  }

  #closed(state: DaskState<State>): Step<DaskState<State>> {
    if (Object.keys(state.members).length > 0) return unchanged(state);
    return { state: { ...state, phase: "ended" }, instructions: [state.ending!] };
  }

  /** Starts a worker again, up to a limit. Fails the run with the last worker: its steps would wait for ever. */
  #workerEnded(state: DaskState<State>, event: JobEndEvent): Step<DaskState<State>> {
    const number = Number(event.key.slice(event.key.lastIndexOf("-") + 1));
    const attempt = attemptOf(event) + 1;
    const sentence = failureOf(`Dask worker ${number}`, event);
    if (attempt <= WORKER_ATTEMPTS_MAX) {
      return {
        state: { ...state, members: { ...state.members, [event.key]: attempt } },
        instructions: [
          log(`${sentence} It is started again.`, "ERROR"),
          this.#submitWorker(state, number, attempt),
        ],
      };
    }
    const line = `${sentence} It has been started ${WORKER_ATTEMPTS_MAX} times and is not started again.`;
    if (Object.keys(state.members).some((key) => key !== SCHEDULER))
      return { state, instructions: [log(line, "ERROR")] };
    return failed(state, `${line} The Dask cluster has no worker left.`, event.key);
  }
}

function failureOf(what: string, { end }: JobEndEvent): string {
  return describeFailure(what, end);
}

function log(line: string, level: "INFO" | "ERROR" = "INFO"): Instruction {
  return { do: "log", logger: "root", level, line };
}

function unchanged<State>(state: DaskState<State>): Step<DaskState<State>> {
  return { state, instructions: [] };
}

function failed<State>(state: DaskState<State>, reason: string, job?: string): Step<DaskState<State>> {
  const fail: Instruction = { do: "fail", reason, ...(job !== undefined && { job }) };
  return { state: { ...state, phase: "ended" }, instructions: [fail] };
}
