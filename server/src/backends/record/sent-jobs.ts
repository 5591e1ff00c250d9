import { BackendAwayError, type JobRequest, type JobState } from "#backends/backend";
import { type OrderOptions, putRecord } from "#backends/record/order";
import { nameOfJob, type Place, type SentJob } from "#backends/record/place";
import type { Records } from "#backends/record/records";
import type { TrackedJob } from "#backends/record/tracked-job";
import { checkRequired } from "#backends/unenforced";
import type { Watch } from "#backends/record/watch";
import type { Clock } from "#plumbing/clock";
import type { JobEnd } from "#workflow/job/job";

interface SentJobsOptions extends OrderOptions {
  readonly records: Records;
  readonly watch: Watch;
  readonly place: Place;
  readonly clock: Clock;
  /** The token of the folder of records. */
  readonly token: string;
}

/** How long a cancelled job may take to end. Afterwards the caller gets an error, and calls again. */
const CANCEL_MAX_MS = 60_000;
const CANCEL_INTERVAL_MS = 50;

/** Sends jobs to a cluster, and cancels them. */
export class SentJobs {
  readonly #options: SentJobsOptions;

  constructor(options: SentJobsOptions) {
    this.#options = options;
    options.watch.sendAgain = (job) => this.#sendAgain(job);
  }

  async submit(request: JobRequest): Promise<JobState> {
    const { records, watch, token, place } = this.#options;
    const { id } = request;
    const known = watch.stateOf(id);
    if (known) return known;
    if (request.hostToken !== token && !records.has(id)) records.lose(id, { sentence: OTHER_FOLDER });
    if (!records.has(id)) checkRequired(request.job, this.#options.capabilities.provides(), place.name);
    const isNew = putRecord(records.files, request, this.#options, watch.awaitedBy(request));
    const ended = isNew ? undefined : this.#maybeEnded(request);
    if (ended) return ended;
    const job = watch.track(request);
    try {
      if (isNew) await this.#send(job);
      else await this.#find(job);
    } catch (error) {
      watch.forget(id);
      throw error;
    }
    watch.confirm(job);
    return watch.stateOf(id) ?? this.#maybeEnded(request)!;
  }

  /** Ends a job, and returns its end. A job without a supervisor never starts; the cluster is not needed for that. */
  async cancel(request: JobRequest): Promise<JobEnd> {
    const { records, watch } = this.#options;
    const { id } = request;
    const recorded = records.neverStarts(id) ? records.maybeEnd(request) : undefined;
    const isOver = recorded ?? this.#maybeEndNow(request);
    if (!isOver) records.files.writeOnce(id, "stop", "");
    watch.endOutside(id);
    return watch.finish(request, isOver ?? (await this.#ended(request)));
  }

  /** Records that a job is lost, for the server that watches it. Returns false if the end of the job is recorded already. */
  declareLost(id: string): boolean {
    const { records, watch } = this.#options;
    if (!records.has(id) || records.files.has(id, "end")) return false;
    const claim = records.claimOf(id);
    const startedAtMs = typeof claim === "object" ? claim.startedAtMs : null;
    records.lose(id, { sentence: DECLARED_LOST, startedAtMs });
    records.files.noteNews(id);
    watch.endOutside(id);
    return true;
  }

  /** Returns the recorded end of a job, even if its files are not visible yet: nobody needs them any more. */
  #maybeEndNow(request: JobRequest): JobEnd | undefined {
    const { records } = this.#options;
    const found = records.maybeUnsettledEnd(request);
    if (found && !found.isSettled) records.settle(request.id);
    return records.maybeEnd(request);
  }

  #maybeEnded(request: JobRequest): JobState | undefined {
    const { records, watch, place } = this.#options;
    const end = records.maybeEnd(request);
    const { outsideId } = records.outsideOf(request.id) ?? {};
    if (end && place.keepsEnded) watch.endOutside(request.id);
    return end && { status: "ended", end, ...(outsideId !== undefined && { outsideId }) };
  }

  async #send({ request }: TrackedJob): Promise<void> {
    const { records, watch, place } = this.#options;
    const { id } = request;
    const sent = this.#sentJob(request);
    // Name the cluster before the job is sent. Without the name, a later server would ask another cluster about the job.
    const cluster = await watch.cluster();
    const outsideId = await watch.reach(() => place.send(sent));
    records.setOutside(id, { outsideId, cluster });
  }

  async #sendAgain({ request }: TrackedJob): Promise<void> {
    const { records, watch, place } = this.#options;
    const outsideId = await watch.reach(() => place.send(this.#sentJob(request)));
    records.addOutside(request.id, outsideId);
  }

  #sentJob({ id, job, workspaceFolder, secrets }: JobRequest): SentJob {
    const folder = this.#options.records.files.folderOf(id);
    const files = { orderFile: `${folder}/order`, saidFile: `${folder}/said` };
    return { name: nameOfJob(id), job, workspaceFolder, ...files, ...(secrets && { secrets }) };
  }

  /** A submission without an answer may have arrived: the claim makes a second one harmless. */
  async #find(job: TrackedJob): Promise<void> {
    const { records, watch, place } = this.#options;
    const { id } = job.request;
    if (records.outsideOf(id) !== undefined || records.claimOf(id) !== "none") return;
    const { jobs, cluster } = await watch.reach(() => place.list({ isWhole: true }));
    const [found] = jobs.get(nameOfJob(id)) ?? [];
    if (found) records.setOutside(id, { outsideId: found.outsideId, cluster });
    else await this.#send(job);
  }

  /** Waits until the supervisor has recorded the end, or its node has confirmed that it is gone. */
  async #ended(request: JobRequest): Promise<JobEnd> {
    const { records, watch, clock, place } = this.#options;
    watch.confirm(watch.track(request));
    for (let waitedMs = 0; waitedMs < CANCEL_MAX_MS; waitedMs += CANCEL_INTERVAL_MS) {
      const end = this.#maybeEndNow(request);
      if (end) return end;
      await new Promise<void>((resolve) => clock.after(CANCEL_INTERVAL_MS, resolve));
    }
    const name = records.outsideOf(request.id)?.outsideId ?? nameOfJob(request.id);
    const seconds = CANCEL_MAX_MS / 1000;
    throw new BackendAwayError(
      `The job ${name} of ${place.name} was asked to end ${seconds} s ago and still runs.`,
    );
  }
}

const DECLARED_LOST = "An administrator declared the job lost, because its node did not answer any more.";
const OTHER_FOLDER = "The job was sent from another data folder, and this one has no record of it.";
