import { type Backend, BackendAwayError, type JobRequest } from "#backends/backend";
import type { Backends } from "#backends/backends";
import { Refusal } from "#plumbing/errors";
import { derivedUuid } from "#plumbing/ids";
import type { UserSecrets } from "#runner/jobs/user-secrets";
import type { Job, JobEnd } from "#workflow/job/job";

/** A job outside of all runs. Its output is the answer to one request. */
export interface SideJob {
  readonly job: Job;
  readonly ownerId: string;
  readonly workspaceFolder: string;
  /** Files in addition to the secrets of the user, by name. */
  readonly files: Readonly<Record<string, string>>;
}

export interface SideJobResult {
  readonly end: JobEnd;
  /** The last part of the output, without secrets. */
  readonly text: string;
}

interface SideJobsContext {
  readonly backends: Backends;
  readonly hostId: string;
  readonly secrets: UserSecrets;
}

/** Maximum number of side jobs at once on a host. Others wait. */
const AT_ONCE_MAX = 2;
const WAITING_MAX = 20;
const BUSY = `${WAITING_MAX} restart plans are already queued. Try again in a minute.`;
const OUTPUT_MAX_BYTES = 16 << 20;

/**
 * Runs side jobs. Their ids are a fixed set per host: the next use of an id first ends and forgets the
 * leftovers of a killed server. A job ends at its time limit in any case.
 */
export class SideJobs {
  readonly #context: SideJobsContext;
  readonly #free: string[];
  readonly #waiting: ((id: string) => void)[] = [];

  constructor(context: SideJobsContext) {
    this.#context = context;
    this.#free = Array.from({ length: AT_ONCE_MAX }, (_, index) =>
      derivedUuid("side-job", context.hostId, index),
    );
  }

  /** Runs a job to its end. Rejects if the signal aborts, after the job has been cancelled. */
  async run(wanted: SideJob, signal: AbortSignal): Promise<SideJobResult> {
    const id = await this.#acquire();
    try {
      return await this.#runAs(id, wanted, signal);
    } catch (error) {
      if (error instanceof BackendAwayError)
        throw new Refusal("unavailable", error.message, { cause: error });
      throw error;
    } finally {
      this.#release(id);
    }
  }

  async #runAs(id: string, wanted: SideJob, signal: AbortSignal): Promise<SideJobResult> {
    const backend = this.#context.backends.forJob(wanted.job);
    const request = await this.#requestOf(id, backend, wanted);
    const forget = async () => {
      await backend.cancel(request);
      await backend.remove([id]);
    };
    await forget();
    try {
      const end = await ended(backend, request, signal);
      return { end, text: await this.#outputOf(backend, id, wanted.ownerId) };
    } finally {
      await forget();
    }
  }

  async #requestOf(
    id: string,
    { hostToken }: Backend,
    { job, ownerId, workspaceFolder, files }: SideJob,
  ): Promise<JobRequest> {
    const own = await this.#context.secrets.maybeForJobs(ownerId);
    const texts = Object.entries(files).map(([name, text]) => [name, Buffer.from(text)] as const);
    const secrets = {
      environment: own?.environment ?? {},
      files: new Map([...(own?.files ?? []), ...texts]),
    };
    return { id, job, workspaceFolder, hostToken, secrets };
  }

  async #outputOf(backend: Backend, id: string, ownerId: string): Promise<string> {
    const bytes = await backend.readLog(id, -OUTPUT_MAX_BYTES, OUTPUT_MAX_BYTES);
    const mask = await this.#context.secrets.mask(ownerId);
    return mask.apply(bytes, true).toString("utf8");
  }

  async #acquire(): Promise<string> {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#waiting.length >= WAITING_MAX) throw new Refusal("unavailable", BUSY);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #release(id: string): void {
    const next = this.#waiting.shift();
    if (next) next(id);
    else this.#free.push(id);
  }
}

/** Submits a job and resolves at its end. Rejects if the signal aborts. */
async function ended(backend: Backend, request: JobRequest, signal: AbortSignal): Promise<JobEnd> {
  const { promise, resolve, reject } = Promise.withResolvers<JobEnd>();
  const abort = () => reject(signal.reason);
  const unwatch = backend.watch((id, state) => {
    if (id === request.id && state.status === "ended") resolve(state.end);
  });
  signal.addEventListener("abort", abort);
  try {
    signal.throwIfAborted();
    const state = await backend.submit(request);
    return state.status === "ended" ? state.end : await promise;
  } finally {
    signal.removeEventListener("abort", abort);
    unwatch();
  }
}
