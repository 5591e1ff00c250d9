import type { Caller } from "#operations/context";
import { PublicationWork, type WorkContext } from "#operations/reports/publication/publication-work";
import { redaction } from "#operations/reports/redaction";
import { DAY_MS } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { isDiskFull, Refusal } from "#plumbing/errors";
import { PassingFault } from "#plumbing/passing-fault";
import { maybeSecretText } from "#runner/jobs/user-secrets";
import { repeatedly } from "#scheduler/repeatedly";
import {
  claimPublication,
  duePublications,
  endClaim,
  type Publication,
  releasePublications,
  renewClaim,
} from "#store/publications/publications";
import { maybeRun, type Run } from "#store/runs/runs";
import { maybeUser } from "#store/users/users";

interface PublisherContext extends WorkContext {
  /** Id of the host, under which the server claims publications. */
  readonly hostId: string;
  readonly log: { error(details: object, message: string): void };
}

/** Most publications under way together. An upload may take hours. */
const MOST_AT_ONCE = 4;
/** Time of a claim, which is renewed three times as often. */
const CLAIM_MS = 5 * 60_000;
const FIRST_PAUSE_MS = 5000;
const LAST_PAUSE_MS = 3_600_000;
/** Age at which a publication is given up if the other server is away. */
const GIVEN_UP_AFTER_MS = 7 * DAY_MS;

/**
 * Publishes runs on other servers, as their users have asked. A server claims each publication by its row. A step that
 * fails because the other server is away is repeated; a refusal ends the publication with its sentence.
 */
export class Publisher {
  readonly #context: PublisherContext;
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();
  #isReleased = false;

  constructor(context: PublisherContext) {
    this.#context = context;
  }

  /** Begins the steps of due publications. The first call also takes over publications of an earlier server of this host. */
  async look(): Promise<void> {
    const { db, clock, hostId } = this.#context;
    if (!this.#isReleased) await releasePublications(db, hostId, clock.now());
    this.#isReleased = true;
    const most = MOST_AT_ONCE - this.#underWay.size;
    if (most === 0) return;
    for (const publication of await duePublications(db, { nowMs: clock.now(), most }))
      if (!this.#underWay.has(publication.runId)) await this.#begin(publication);
  }

  /** Stops the steps that are under way. The next server continues them. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#underWay.values());
  }

  async #begin(publication: Publication): Promise<void> {
    const { db } = this.#context;
    const { runId } = publication;
    if (this.#stopping.signal.aborted) return;
    if (!(await claimPublication(db, publication, this.#claim(runId)))) return;
    crashPoint("publication-claimed");
    const work = this.#work(publication)
      .catch((error: unknown) => this.#logFailure(error))
      .finally(() => this.#underWay.delete(runId));
    this.#underWay.set(runId, work);
  }

  #claim(runId: string) {
    const { clock, hostId } = this.#context;
    return { runId, hostId, untilMs: clock.now() + CLAIM_MS };
  }

  #logFailure(error: unknown): void {
    this.#context.log.error({ err: error }, "A run could not be published; trying again.");
  }

  async #work(publication: Publication): Promise<void> {
    const { db, clock } = this.#context;
    const lost = new AbortController();
    const stopRenewing = repeatedly({
      clock,
      everyMs: CLAIM_MS / 3,
      work: async () => {
        if (!(await renewClaim(db, this.#claim(publication.runId)))) lost.abort();
      },
      onFailure: (error) => this.#logFailure(error),
    });
    const signal = AbortSignal.any([lost.signal, this.#stopping.signal]);
    const outcome = await this.#outcome(publication, signal);
    await stopRenewing();
    if (!lost.signal.aborted) await endClaim(db, publication, { ...outcome, nowMs: clock.now() });
  }

  async #outcome(publication: Publication, signal: AbortSignal): Promise<Outcome> {
    const { failures } = publication;
    const started: { work?: PublicationWork } = {};
    try {
      started.work = await this.#open(publication, signal);
      await started.work.finish();
      return { failures: 0, dueAtMs: null, problem: null };
    } catch (error) {
      if (signal.aborted)
        return { failures, dueAtMs: this.#context.clock.now(), problem: publication.problem };
      return this.#failed(publication, error, started.work?.hasAdvanced ? 1 : failures + 1);
    }
  }

  async #failed(publication: Publication, error: unknown, failures: number): Promise<Outcome> {
    const { clock, deposits } = this.#context;
    const problem = await this.#sentence(publication, error);
    if (error instanceof Refusal || clock.now() - publication.createdAtMs > GIVEN_UP_AFTER_MS) {
      await deposits.crates.remove(publication.runId);
      return { failures, dueAtMs: null, problem };
    }
    const pause = error instanceof PassingFault ? error.retryAfterMs : undefined;
    return { failures, dueAtMs: clock.now() + (pause ?? pauseMs(failures)), problem };
  }

  async #open(publication: Publication, signal: AbortSignal): Promise<PublicationWork> {
    const { deposits, secrets } = this.#context;
    const { root, secret } = publication.request;
    const owner = await this.#owner(await this.#run(publication.runId));
    const token = await maybeSecretText(secrets, owner.id, secret);
    if (token === undefined) throw new Refusal("conflict", `The secret ${secret} with the token is gone.`);
    const server = deposits.open({ root, token, signal });
    return new PublicationWork(this.#context, publication, { server, owner, signal });
  }

  async #run(runId: string): Promise<Run> {
    const run = await maybeRun(this.#context.db, runId);
    if (run && run.status !== "deleted") return run;
    throw new Refusal("conflict", "The workflow was deleted.");
  }

  async #owner({ ownerId }: Run): Promise<Caller> {
    const user = await maybeUser(this.#context.db, ownerId);
    if (user && user.disabledAtMs === null) return user;
    throw new Refusal("conflict", "The account of the owner is closed.");
  }

  /** Returns the problem in a sentence without secrets, because another server may repeat what it was sent. */
  async #sentence({ runId }: Publication, error: unknown): Promise<string> {
    if (isDiskFull(error)) return "The server's disk is full.";
    if (!(error instanceof Refusal || error instanceof PassingFault)) {
      this.#logFailure(error);
      return "The server failed. Its log has the reason.";
    }
    const run = await maybeRun(this.#context.db, runId);
    return run ? (await redaction(this.#context, run.ownerId))(error.message) : error.message;
  }
}

type Outcome = Pick<Publication, "failures" | "dueAtMs" | "problem">;

/** Returns the pause after so many failures in a row: 5 s, four times as long each time, up to an hour. */
function pauseMs(failures: number): number {
  return Math.min(FIRST_PAUSE_MS * 4 ** (failures - 1), LAST_PAUSE_MS);
}
