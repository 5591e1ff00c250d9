import type { Backends } from "#backends/backends";
import type { Ask, ChannelAsk, EngineEvent } from "#engines/engine";
import { answerChannelAsk, isChannelAsk } from "#runner/files/channel";
import { answerAsk } from "#runner/files/answer-ask";
import type { Inbox, ReportedEnd } from "#runner/turn/arrivals";
import { maybeCollected } from "#runner/files/collect-outputs";
import { type BringFolder, ReusableElsewhere } from "#runner/files/reusable-elsewhere";
import { ReusableJobs } from "#runner/files/reusable-jobs";
import { lastLinesOf } from "#runner/files/last-lines";
import type { ChangeDetector } from "#runner/files/change-detector";
import type { Unread } from "#runner/files/unread-files";
import { endEvent, isPlain } from "#runner/turn/job-end";
import type { UserSecrets } from "#runner/jobs/user-secrets";
import type { Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import type { Connection } from "#store/database/database";
import type { JobContentsRow } from "#store/jobs/job-contents";
import type { Run } from "#store/runs/runs";
import { type DigestOf, digestsIn } from "#workflow/capabilities";
import { succeeded } from "#workflow/job/job";
import type { FileStamps } from "#workflow/job/file-stamps";
import type { RunFiles } from "#workspace/run-files";
import type { Workspaces } from "#workspace/workspaces";

/**
 * Carries out slow work outside the run's queue: answers the engine's questions about files, and collects the
 * files for the end of a job. The work does not change the run: results arrive in its inbox.
 */
export interface FileRequests {
  answer(asks: readonly Ask[]): void;
  /** Puts the end of a job into the inbox, with the lines, files and stamps that belong to the end. */
  collect(reported: ReportedEnd): void;
  /** Removes files that later jobs do not read. */
  remove(unread: Unread): void;
  /** Drops waiting requests and aborts running requests. Resolves when no request is running. */
  settled(): Promise<void>;
  /** Starts no further requests, and aborts running requests. */
  detach(): void;
}

interface RequestContext {
  readonly db: Connection;
  readonly clock: Clock;
  readonly workspaces: Pick<Workspaces, "of">;
  readonly backends: Backends;
  readonly secrets?: UserSecrets;
}

interface RequestOptions {
  readonly detector: ChangeDetector;
  readonly inbox: Pick<Inbox, "put" | "fail">;
  /** Throws if another server drives the run. */
  readonly assertLease: () => Promise<void>;
}

interface Result {
  readonly event: EngineEvent;
  readonly stamps?: FileStamps | undefined;
  readonly contents?: JobContentsRow | undefined;
}

const CONCURRENT_MAX = 8;
/** Shared abort reason: Node would otherwise create an error with a stack for every run that ends. */
const BROKEN_OFF = new Error("The run no longer waits for what it asked of its files.");

export function createFileRequests(context: RequestContext, run: Run, options: RequestOptions): FileRequests {
  return new Requests(context, run, options);
}

class Requests implements FileRequests {
  readonly #context: RequestContext;
  readonly #run: Run;
  readonly #options: RequestOptions;
  /** Aborts the running requests. */
  readonly #abort = new AbortController();
  readonly #files: RunFiles;
  readonly #digestOf: DigestOf;
  readonly #reusable: ReusableJobs;
  readonly #waiting: (() => Promise<Result>)[] = [];
  readonly #underWay = new Set<Promise<void>>();
  /** A talk with a job takes no place: it may wait for as long as the job runs. */
  #placesTaken = 0;
  #isOver = false;

  constructor(context: RequestContext, run: Run, options: RequestOptions) {
    this.#context = context;
    this.#run = run;
    this.#options = options;
    this.#files = context.workspaces.of(run.workspaceId).forRun(this.#abort.signal);
    this.#digestOf = digestsIn(context.backends.all.map(({ capabilities }) => capabilities));
    const { signal } = this.#abort;
    const bring = bringingTo(context.workspaces, run, { signal, assertLease: options.assertLease });
    this.#reusable = new ReusableJobs(context.db, this.#files, {
      runId: run.id,
      imageDigestOf: this.#digestOf,
      elsewhere: new ReusableElsewhere({ ...context, run, files: this.#files, signal, bring }),
    });
  }

  answer(asks: readonly Ask[]): void {
    for (const ask of asks) {
      if (ask.do === "go-on")
        this.#options.inbox.put({ kind: "event", event: { kind: "went-on", id: ask.id } });
      else if (isChannelAsk(ask)) this.#start(() => this.#converse(ask));
      else if (ask.do === "find-done") this.#add(() => this.#reusable.find(this.#run.workspaceId, ask));
      else this.#add(async () => ({ event: await answerAsk(this.#files, ask, this.#digestOf) }));
    }
  }

  collect(reported: ReportedEnd): void {
    if (isPlain(reported))
      this.#options.inbox.put({ kind: "event", event: endEvent(reported, { lastLines: [] }) });
    else this.#add(() => this.#collect(reported));
  }

  remove(unread: Unread): void {
    const { inbox, assertLease } = this.#options;
    const { signal } = this.#abort;
    const mayContinue = async () => {
      signal.throwIfAborted();
      await assertLease();
    };
    const work: Promise<void> = unread
      .remove(mayContinue)
      .catch((error: unknown) => {
        if (!signal.aborted) inbox.fail(error);
      })
      .finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
  }

  async settled(): Promise<void> {
    this.#breakOff();
    await Promise.all(this.#underWay);
  }

  detach(): void {
    this.#breakOff();
  }

  /** No answer that arrives from now on is wanted: the run ends, or another driver asks again. */
  #breakOff(): void {
    this.#isOver = true;
    this.#waiting.length = 0;
    this.#abort.abort(BROKEN_OFF);
  }

  #add(request: () => Promise<Result>): void {
    this.#waiting.push(request);
    this.#startNext();
  }

  #startNext(): void {
    while (!this.#isOver && this.#placesTaken < CONCURRENT_MAX) {
      const request = this.#waiting.shift();
      if (!request) return;
      this.#placesTaken += 1;
      this.#start(request, () => {
        this.#placesTaken -= 1;
        this.#startNext();
      });
    }
  }

  #start(request: () => Promise<Result>, onSettled?: () => void): void {
    const { inbox } = this.#options;
    const run: Promise<void> = request()
      .then(
        (result) => inbox.put({ kind: "event", ...result }),
        (error: unknown) => {
          if (!this.#abort.signal.aborted) inbox.fail(error);
        },
      )
      .finally(() => {
        this.#underWay.delete(run);
        onSettled?.();
      });
    this.#underWay.add(run);
  }

  async #converse(ask: ChannelAsk): Promise<Result> {
    const { clock } = this.#context;
    return { event: await answerChannelAsk({ files: this.#files, clock, signal: this.#abort.signal }, ask) };
  }

  async #collect(reported: ReportedEnd): Promise<Result> {
    const { id, job, end } = reported;
    const lastLines = succeeded(end)
      ? []
      : await lastLinesOf({ ...this.#context, files: this.#files }, this.#run, reported);
    const collected = job.collect && (await maybeCollected(this.#files, job.collect));
    if (collected) crashPoint("job-collected");
    const stamps = job.isStamped ? await this.#options.detector.maybeChanges(id, end) : undefined;
    const contents = succeeded(end)
      ? await this.#reusable.maybeRow(this.#run, reported, collected)
      : undefined;
    return { event: endEvent(reported, { lastLines, ...(collected && { collected }) }), stamps, contents };
  }
}

interface Bringing {
  readonly signal: AbortSignal;
  readonly assertLease: () => Promise<void>;
}

/**
 * Copies files of other workspaces into the workspace of a run, on behalf of its server and only while the
 * server drives the run.
 */
function bringingTo(
  workspaces: RequestContext["workspaces"],
  { workspaceId: here }: Run,
  { signal, assertLease }: Bringing,
): BringFolder {
  return ({ id, workspaceId, from, to, beforePlacing }) =>
    workspaces.of(here).bring(workspaces.of(workspaceId), {
      id: `taken-${id}`,
      from,
      to,
      signal,
      async beforePlacing() {
        await beforePlacing();
        await assertLease();
      },
    });
}
