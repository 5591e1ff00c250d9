import type { Caller } from "#operations/context";
import type { CrateContext } from "#operations/reports/crate/crate-writer";
import { getCrate } from "#operations/reports/crate/get-crate";
import type { PackContext } from "#operations/reports/pack/pack";
import type { ReportServices } from "#operations/reports/services";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { PassingFault } from "#plumbing/passing-fault";
import type { Deposit, DepositServer } from "#sources/deposits/deposit-server";
import { type Publication, recordProgress } from "#store/publications/publications";
import type { DepositFile, PublicationProgress } from "#workflow/run/publication";

export type WorkContext = CrateContext & PackContext & ReportServices;

export interface WorkTools {
  readonly server: DepositServer;
  readonly owner: Caller;
  /** Aborts when the server closes, or another one has the publication. */
  readonly signal: AbortSignal;
}

/** The time after which the search of a deposit server shows a new draft. InvenioRDM promises a second. */
const SEARCH_DELAY_MS = 10_000;

/**
 * Takes the steps of one publication that are not done. Each step first looks whether an earlier attempt has carried it
 * out, whose reply was lost, and is recorded at once. So a repetition makes neither a second draft nor a second file.
 */
export class PublicationWork {
  readonly #context: WorkContext;
  readonly #publication: Publication;
  readonly #tools: WorkTools;
  #progress: PublicationProgress;

  constructor(context: WorkContext, publication: Publication, tools: WorkTools) {
    this.#context = context;
    this.#publication = publication;
    this.#tools = tools;
    this.#progress = publication.progress;
  }

  /** True if the work has got further than all earlier attempts. */
  get hasAdvanced(): boolean {
    return stepsDone(this.#progress) > stepsDone(this.#publication.progress);
  }

  async finish(): Promise<void> {
    await this.#look();
    if (this.#progress.isPublished) return;
    const id = this.#progress.id ?? (await this.#makeDraft());
    if (this.#progress.isPublished) return;
    if (this.#progress.doi === undefined) await this.#reserveDoi(id);
    crashPoint("doi-recorded");
    if (!this.#progress.isUploaded) await this.#deposit(id);
    if (this.#publication.submits) await this.#publish(id);
  }

  async #record(progress: PublicationProgress): Promise<void> {
    this.#tools.signal.throwIfAborted();
    await recordProgress(this.#context.db, this.#publication.runId, progress);
    this.#progress = progress;
  }

  /** Looks at the draft again: its owner may have published, changed or deleted the draft since the last step. */
  async #look(): Promise<void> {
    const { id, doi } = this.#progress;
    if (id === undefined) return;
    const { server } = this.#tools;
    const record = await server.maybeRecord(id);
    if (record?.isPublished) return this.#record({ ...this.#progress, doi: record.doi, isPublished: true });
    const draft = await server.maybeDraft(id);
    if (!draft) {
      await this.#record({});
      throw new Refusal(
        "absent",
        "The draft was deleted there. Publish the workflow again to make another one.",
      );
    }
    // A crate names its DOI, so another DOI needs another crate.
    if (draft.doi !== doi) await this.#record({ id, doi: draft.doi });
  }

  async #makeDraft(): Promise<string> {
    const { clock } = this.#context;
    const { server } = this.#tools;
    const { askedAtMs } = this.#progress;
    const [known] = await server.find(this.#publication.request.description.identifier);
    if (known) return this.#keepDraft(known);
    const waitMs = askedAtMs === undefined ? 0 : askedAtMs + SEARCH_DELAY_MS - clock.now();
    if (waitMs > 0)
      throw new PassingFault("A draft may have been made, and will show up in a moment.", {
        retryAfterMs: waitMs,
      });
    await this.#record({ askedAtMs: clock.now() });
    crashPoint("draft-announced");
    const made = await this.#create();
    crashPoint("draft-made");
    return this.#keepDraft(made);
  }

  async #create(): Promise<Deposit> {
    try {
      return await this.#tools.server.create(this.#publication.request.description);
    } catch (error) {
      // A refused draft does not exist.
      if (error instanceof Refusal) await this.#record({});
      throw error;
    }
  }

  async #keepDraft({ id, doi, isPublished }: Deposit): Promise<string> {
    await this.#record({ id, doi, ...(isPublished && { isPublished }) });
    crashPoint("draft-recorded");
    return id;
  }

  async #reserveDoi(id: string): Promise<void> {
    const { doi } = await this.#tools.server.reserveDoi(id);
    if (doi === undefined) throw new Refusal("malformed", "The other server reserved no DOI.");
    crashPoint("doi-reserved");
    await this.#record({ ...this.#progress, doi });
  }

  /** Brings the crate to the draft, in a file with the checksum of the file here. */
  async #deposit(id: string): Promise<void> {
    const { runId } = this.#publication;
    const { crates } = this.#context.deposits;
    const { server } = this.#tools;
    const { crate: recorded } = this.#progress;
    if (!recorded || !(await this.#isThere(id, recorded))) {
      const crate = await this.#crate();
      const isSent = await this.#isSent(id, crate);
      if (!isSent) await server.upload(id, crate, crates.read(runId));
      if (!isSent && !(await this.#isThere(id, crate))) {
        await crates.remove(runId);
        throw new PassingFault("The file arrived there with another checksum.");
      }
      crashPoint("deposit-uploaded");
    }
    await this.#record({ ...this.#progress, isUploaded: true });
    await crates.remove(runId);
    crashPoint("draft-completed");
  }

  /**
   * Returns whether an earlier attempt has sent the content, and completes such a file: only the last request was lost, and the
   * content is not sent again. Any other file of the name is removed.
   */
  async #isSent(id: string, crate: DepositFile): Promise<boolean> {
    const { server } = this.#tools;
    const there = (await server.files(id)).find(({ name }) => name === crate.name);
    if (!there) return false;
    if (there.md5 === undefined && (await this.#completes(id, crate))) return true;
    await server.removeFile(id, crate.name);
    return false;
  }

  async #completes(id: string, crate: DepositFile): Promise<boolean> {
    try {
      await this.#tools.server.complete(id, crate.name);
    } catch (error) {
      // The content has not arrived, or not in full.
      if (error instanceof Refusal) return false;
      throw error;
    }
    return this.#isThere(id, crate);
  }

  async #isThere(id: string, { name, bytes, md5 }: DepositFile): Promise<boolean> {
    const files = await this.#tools.server.files(id);
    return files.some((file) => file.name === name && file.bytes === bytes && file.md5 === md5);
  }

  /** Returns the crate, which is complete in a file. Writes it unless an earlier attempt has. */
  async #crate(): Promise<DepositFile> {
    const { runId, request } = this.#publication;
    const { crates } = this.#context.deposits;
    const { crate: known } = this.#progress;
    if (known && (await crates.has(runId, known))) return known;
    const { fileName, stream } = await getCrate(this.#context, this.#tools.owner, {
      address: runId,
      hasInputs: true,
      isRunnable: false,
      license: request.description.license,
      server: request.server,
      version: request.program,
    });
    const crate = { name: fileName, ...(await crates.write(runId, stream())) };
    crashPoint("deposit-written");
    await this.#record({ ...this.#progress, crate });
    crashPoint("deposit-recorded");
    return crate;
  }

  async #publish(id: string): Promise<void> {
    const { server } = this.#tools;
    try {
      await server.publish(id);
    } catch (error) {
      const isGone = error instanceof Refusal && error.kind === "absent";
      // A request that arrived twice finds no draft the second time.
      if (!isGone || !(await server.maybeRecord(id))?.isPublished) throw error;
    }
    crashPoint("draft-published");
    await this.#record({ ...this.#progress, isPublished: true });
  }
}

function stepsDone({ id, doi, crate, isUploaded, isPublished }: PublicationProgress): number {
  return [id, doi, crate, isUploaded, isPublished].filter((one) => one !== undefined).length;
}
