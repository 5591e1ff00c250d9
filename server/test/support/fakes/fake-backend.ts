import {
  type Backend,
  BackendAwayError,
  type JobRequest,
  type JobState,
  type RunningState,
} from "#backends/backend";
import type { ControlledPlace } from "#backends/backend-fixture";
import type { JobEnd } from "#workflow/job/job";
import { FakePlace } from "./fake-place.ts";

/** A backend in memory. Tests end its jobs explicitly. Like a cluster, it outlives its servers. */
export interface FakeBackend extends Omit<Backend, "hostToken">, Omit<ControlledPlace, "finish"> {
  /** The host whose jobs are visible. */
  hostToken: string;
  /** Ids in the order in which jobs were really started. */
  readonly started: string[];
  readonly scripts: string[];
  /** The workspace folder of each job. */
  readonly folders: string[];
  readonly secrets: JobRequest["secrets"][];
  /** Every submission, in order. */
  readonly submissions: JobRequest[];
  /** Jobs whose leftover processes were ended. */
  readonly endedLeftovers: ReadonlySet<string>;
  /** Ids of removed jobs. */
  readonly removed: ReadonlySet<string>;
  /** Digests of the available images, by name. Jobs with any other image run without a container. */
  readonly images: Map<string, string>;
  stateOf(id: string): JobState | undefined;
  end(id: string, end?: Partial<JobEnd>): void;
  /** Makes the next submission fail with this message. The job may still start later. */
  failNextSubmit(message: string): void;
  /** Starts the jobs whose submission failed, unless their claim was taken in the interim. */
  beginLate(): void;
  /** Reports what is known of a running job. */
  report(id: string, how: Omit<RunningState, "status">): void;
  /** Adds to a job's output. */
  print(id: string, text: string): void;
  /** Number of requests for the size of a log. */
  readonly sizesAsked: number;
  /** Resolves with the id of the n-th started job, as soon as it is started. */
  startedJob(index: number): Promise<string>;
}

export interface FakeOptions {
  readonly name?: string;
  /** True if jobs are visible only to the submitting host. */
  readonly isHostBound?: boolean;
  readonly computeBackends?: readonly string[];
  /** True if jobs may be queued after their submission. Default: false. */
  readonly mayQueue?: boolean;
  /** Names the jobs in the outside system. Optional. */
  readonly outsideIdOf?: (id: string) => string;
}

const TOKEN = "boot";

/** Creates the backend. By default, jobs are visible only to the submitting host. */
export function fakeBackend({
  name = "Fake",
  isHostBound = true,
  computeBackends = ["kubernetes"],
  mayQueue = false,
  outsideIdOf,
}: FakeOptions = {}): FakeBackend {
  const place = new FakePlace(outsideIdOf);
  const submissions: JobRequest[] = [];
  const endedLeftovers = new Set<string>();
  const removed = new Set<string>();
  const images = new Map<string, string>();
  let sizesAsked = 0;
  let failure: string | undefined;
  let isAnswerLost = false;

  const answer = <Result>(result: Result): Result => {
    if (!isAnswerLost) return result;
    isAnswerLost = false;
    throw new Error("The answer was lost.");
  };
  const imageDigestOf = (image: string | null | undefined) => images.get(image ?? "");
  const reach = () => {
    const sentence = place.absence;
    if (sentence !== undefined) throw new BackendAwayError(sentence);
  };

  const fake: FakeBackend = {
    name,
    isHostBound,
    capabilities: {
      computeBackends,
      provides: () => [],
      imageDigest: async (image) => imageDigestOf(image) ?? null,
    },
    mayQueue: () => mayQueue,
    hostToken: TOKEN,
    started: place.started,
    scripts: place.scripts,
    folders: place.folders,
    secrets: place.secrets,
    submissions,
    async submit(request: JobRequest) {
      reach();
      submissions.push(request);
      if (failure !== undefined) {
        const message = failure;
        failure = undefined;
        place.arriveLate(request);
        throw new Error(message);
      }
      const isElsewhere = isHostBound && request.hostToken !== fake.hostToken;
      return answer(isElsewhere ? place.lose(request.id) : place.arrive(request));
    },
    watch: (listener) => place.watch(listener),
    async cancel(request) {
      reach();
      return answer(place.cancel(request.id));
    },
    async readLog(id, from, maxBytes) {
      reach();
      return place.logOf(id).subarray(from).subarray(0, maxBytes);
    },
    async logSize(id) {
      reach();
      sizesAsked += 1;
      return place.logOf(id).length;
    },
    get sizesAsked() {
      return sizesAsked;
    },
    print: (id, text) => place.print(id, text),
    endedLeftovers,
    removed,
    images,
    stateOf: (id) => place.states.get(id),
    async declareLost(id) {
      if (place.states.get(id)?.status !== "running") return false;
      place.end(id, { reason: "lost", exitCode: null });
      return true;
    },
    async endLeftovers(ids) {
      reach();
      for (const id of ids) endedLeftovers.add(id);
    },
    async remove(ids) {
      reach();
      for (const id of ids) if (place.states.delete(id)) removed.add(id);
    },
    away: () => place.absence,
    export: async () => [],
    close: async () => place.forgetWatchers(),
    runningJobs: () => [...place.states.values()].filter((state) => state.status === "running").length,
    end(id, end = {}) {
      const imageDigest = imageDigestOf(submissions.find((one) => one.id === id)?.job.image);
      place.end(id, { ...(imageDigest !== undefined && { imageDigest }), ...end });
    },
    failNextSubmit: (message) => void (failure = message),
    beginLate: () => place.beginLate(),
    startedJob: (index) => place.startedJob(index),
    queueNext: (reason) => place.queueNext(reason),
    requeue: (id, reason) => place.requeue(id, reason),
    begin: (id) => place.beginQueued(id),
    report: (id, how) => place.report(id, how),
    leave: (sentence) => place.leave(sentence),
    comeBack: () => place.comeBack(),
    loseNextAnswer: () => void (isAnswerLost = true),
    begins: (id) => place.started.filter((one) => one === id).length,
  };
  return fake;
}
