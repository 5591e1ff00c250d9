import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import type { JobRequest } from "#backends/backend";
import { secretsFolder } from "#backends/process/attempt/secret-files";
import { type RecordFiles } from "#backends/record/record-files";
import {
  type Claim,
  endText,
  madeCountIn,
  maybeEnd,
  maybeOwner,
  notVisibleText,
  withVerdictOn,
} from "#backends/record/record-text";
import type { RefusedFinding } from "#backends/record/evidence";
import { unusableFolder } from "#backends/record/unusable-folder";
import type { Clock } from "#plumbing/clock";
import { printable } from "#plumbing/text/printable";
import type { EndReason, JobEnd } from "#workflow/job/job";

/** The sentence of a supervisor that could not claim its job. */
const SAID = /^reprise: (.+)$/m;

/** The list of made files has some hundred bytes for each. */
const MADE_MAX_BYTES = 64 * 2 ** 20;

type Recorded = Pick<JobRequest, "id" | "job">;

/** The name of a job outside, and the cluster that knows it. */
export interface Outside {
  readonly outsideId: string;
  readonly cluster: string | undefined;
}

/** Reads the records of jobs, and writes the ends of lost and cancelled jobs. */
export class Records {
  readonly files: RecordFiles;
  readonly #place: string;
  readonly #clock: Pick<Clock, "now">;

  constructor(files: RecordFiles, place: string, clock: Pick<Clock, "now">) {
    this.files = files;
    this.#place = place;
    this.#clock = clock;
  }

  has(id: string): boolean {
    return this.files.has(id, ".");
  }

  claimOf(id: string): Claim {
    const owner = maybeOwner(this.files.maybeText(id, "claim/owner"));
    if (owner) return owner;
    return this.files.has(id, "claim") ? "unknown" : "none";
  }

  /** Returns the recorded end of a job. Undefined as long as there is no verdict about the files that the job made. */
  maybeEnd(request: Recorded): JobEnd | undefined {
    const found = this.maybeUnsettledEnd(request);
    return found?.isSettled ? found.end : undefined;
  }

  /** Returns the recorded end of a job, and whether it is final. */
  maybeUnsettledEnd({
    id,
    job,
  }: Recorded): { readonly end: JobEnd; readonly isSettled: boolean } | undefined {
    const text = this.files.maybeText(id, "end");
    if (text === undefined) return undefined;
    const noted = this.files.maybeText(id, "noted");
    const image = this.files.maybeText(id, "image");
    const why = this.files.maybeText(id, "why")?.trim();
    const memoryBytes = job.limits?.memoryBytes;
    const end = maybeEnd(text, { noted, image, why, memoryBytes, place: this.#place });
    if (!end || madeCountIn(text) === 0) return end && { end, isSettled: true };
    const seen = this.files.maybeText(id, "seen");
    return seen === undefined
      ? { end, isSettled: false }
      : { end: withVerdictOn(end, seen), isSettled: true };
  }

  /** Notes the image in which a job runs. */
  setImage(id: string, digest: string): void {
    this.files.writeOnce(id, "image", digest);
  }

  /** Notes why the cluster ends a job, if it says so, before the supervisor of the job records the end. */
  noteWhy(id: string, sentence: string | undefined): void {
    if (sentence === undefined || this.files.has(id, "why")) return;
    this.files.writeOnce(id, "why", `${sentence.replaceAll(/\s+/g, " ")}\n`);
  }

  /** Returns the list of the files that a job made, if it is visible. */
  madeText(id: string): string | undefined {
    return this.files.maybeText(id, "made", MADE_MAX_BYTES);
  }

  /** Records that the files of an ended job count as seen, unless there is a verdict. */
  settle(id: string): void {
    this.files.writeOnce(id, "seen", "");
  }

  /** Records that files of an ended job did not become visible, unless there is a verdict. */
  refuse(id: string, sentence: string): void {
    this.files.writeOnce(id, "seen", notVisibleText(sentence));
  }

  /**
   * Claims a job for nobody and records that it never started, with or without a record. Returns false if its
   * supervisor has claimed it.
   */
  neverStarts(id: string, sentence?: string): boolean {
    this.#make(id);
    if (!this.files.claimForNobody(id) && this.claimOf(id) !== "nobody") return false;
    this.#end(id, { reason: "not-started", startedAtMs: null, detail: sentence });
    return true;
  }

  /** Records that the cluster is done with a job that no supervisor has claimed. Returns false if one has. */
  neverBegan(id: string, { sentence, onNode }: Omit<RefusedFinding, "is">): boolean {
    if (onNode === undefined) return this.neverStarts(id, sentence);
    const said = SAID.exec(this.files.maybeText(id, "said") ?? "")?.[1];
    const folder = path.dirname(this.files.root);
    const why = said === undefined ? `${sentence} ${unusableFolder(onNode, folder)}` : printable(said, 1000);
    if (!this.neverStarts(id, why)) return false;
    this.files.writeOnce(id, "log", `reprise: ${why}\n`);
    return true;
  }

  /** Records that a job is lost, unless it has an end. */
  lose(
    id: string,
    how: {
      readonly sentence: string;
      readonly startedAtMs?: number | null;
      readonly reason?: EndReason | undefined;
    },
  ): void {
    const { sentence, startedAtMs = null, reason = "lost" } = how;
    this.#make(id);
    this.files.claimForNobody(id);
    // If the verdict is wrong, the supervisor ends the job.
    this.files.writeOnce(id, "stop", "");
    this.#end(id, { reason, startedAtMs, detail: sentence });
  }

  outsideOf(id: string): Outside | undefined {
    const [outsideId, cluster] = this.files.maybeText(id, "outside")?.trimEnd().split(" ") ?? [];
    return outsideId === undefined ? undefined : { outsideId, cluster };
  }

  /** Returns the numbers of all submissions of a job. */
  outsideIdsOf(id: string): readonly string[] {
    const again = this.files.maybeText(id, "again")?.trim().split("\n") ?? [];
    return [this.outsideOf(id)?.outsideId, ...again].filter((one) => one !== undefined);
  }

  /** Notes another submission of a job. The job keeps its first number. */
  addOutside(id: string, outsideId: string): void {
    const before = this.files.maybeText(id, "again") ?? "";
    this.files.replace(id, "again", `${before}${outsideId}\n`);
  }

  setOutside(id: string, { outsideId, cluster }: Outside): void {
    this.files.writeOnce(id, "outside", `${outsideId}${cluster === undefined ? "" : ` ${cluster}`}\n`);
  }

  #make(id: string): void {
    if (!this.has(id)) this.files.put(id, (folder) => mkdirSync(path.join(folder, "scratch")));
  }

  #end(id: string, end: Omit<Parameters<typeof endText>[0], "endedAtMs">): void {
    this.files.writeOnce(id, "end", endText({ ...end, endedAtMs: this.#clock.now() }));
    rmSync(secretsFolder(this.files.folderOf(id)), { recursive: true, force: true });
  }
}
