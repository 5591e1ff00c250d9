import type { Answer, Collected, ReusableJob, FindDone } from "#engines/engine";
import type { ReportedEnd } from "#runner/turn/arrivals";
import {
  bodyOf,
  compareFilesLeft,
  type JobContentsBody,
  LEFT_MAX_FILES,
} from "#runner/files/job-contents-body";
import type { ReusableElsewhere } from "#runner/files/reusable-elsewhere";
import { InputDigests } from "#runner/files/input-digests";
import { REMOVED_BY } from "#engines/contents-decisions";
import type { Connection } from "#store/database/database";
import {
  equalJobsIn,
  type ReusableJobRow,
  reusableJobsIn,
  type JobContentsRow,
} from "#store/jobs/job-contents";
import { maybeRunWithEvent } from "#store/runs/restarts";
import type { Run } from "#store/runs/runs";
import type { DigestOf } from "#workflow/capabilities";
import type { Difference } from "#workflow/job/decision";
import { UNSURE_STAMP } from "#workflow/job/file-stamps";
import { imageFacts } from "#workflow/job/image-digest";
import {
  compareContents,
  contentsKey,
  differs,
  type JobContents,
  type KnownContents,
} from "#workflow/job/job-contents";
import { REMOVED_FILES, UNREAD_FILES } from "#workflow/run/event-kinds";
import { fullName } from "#workflow/run/run-name";
import type { RunFiles } from "#workspace/run-files";

/** Limit on the shown facts of one kind: a person looks only at the first few. */
const TOLD_MAX = 20;

/** The answer to a question for a finished job, and the row of the copy if its files were copied. */
export interface FoundReusable {
  readonly event: FoundReusableAnswer;
  readonly contents?: JobContentsRow;
}

type FoundReusableAnswer = Extract<Answer, { kind: "found-done" }>;

interface ReusableJobsOptions {
  /** The run that may take jobs over. Empty if the run does not exist yet. */
  readonly runId: string;
  readonly imageDigestOf: DigestOf;
  /** Finds jobs in the user's other workspaces. */
  readonly elsewhere: ReusableElsewhere;
}

/** Records finished jobs of one run, and finds jobs of earlier runs that need not run again. */
export class ReusableJobs {
  readonly #db: Connection;
  readonly #files: RunFiles;
  readonly #digests: InputDigests;
  readonly #options: ReusableJobsOptions;
  /** Jobs taken over by this run, or found changed. */
  readonly #used = new Set<string>();
  /** Read once, because it does not change while a run of the workspace is live. */
  #remover: ReturnType<typeof maybeRunWithEvent> | undefined;

  constructor(db: Connection, files: RunFiles, options: ReusableJobsOptions) {
    this.#db = db;
    this.#files = files;
    this.#options = options;
    this.#digests = new InputDigests(files);
  }

  /**
   * Returns the row of a job that has succeeded. Undefined if it could not be compared later: an input was changed after
   * the job had started, or its files cannot all be stamped.
   */
  async maybeRow(
    { ownerId, workspaceId }: Pick<Run, "ownerId" | "workspaceId">,
    { id, job, end }: ReportedEnd,
    collected: Collected | undefined,
  ): Promise<JobContentsRow | undefined> {
    if (!job.contents || !job.collect || !collected || collected.isCut) return undefined;
    const known = await this.#maybeKnown(job.contents);
    if (!known || (end.startedAtMs !== null && known.changedMs > end.startedAtMs)) return undefined;
    const { folder } = job.collect;
    const left = await this.#files.maybeStampsAt(folder, LEFT_MAX_FILES);
    if (!left || left.some(({ stamp }) => stamp === UNSURE_STAMP)) return undefined;
    const { contents, stamps: inputStamps } = known;
    const stamps = Object.fromEntries(left.map(({ path, stamp }) => [path, stamp]));
    const { exitCode, imageDigest = null } = end;
    const body: JobContentsBody = { contents, imageDigest, inputStamps, folder, exitCode, collected, stamps };
    return {
      jobId: id,
      workspaceId,
      ownerId,
      jobKey: job.key,
      contentsKey: contentsKey(contents),
      body: JSON.stringify(body),
      createdAtMs: end.endedAtMs,
    };
  }

  /**
   * Finds an equal job of an earlier run, in this workspace or, if the ask says so, in another workspace of
   * the user.
   */
  async find(workspaceId: string, { id, key, contents, backend, into }: FindDone): Promise<FoundReusable> {
    const before = await reusableJobsIn(this.#db, { workspaceId, jobKey: key });
    for (const one of before) this.#remember(bodyOf(one));
    const known = await this.#maybeKnown(contents);
    if (!known) return { event: { kind: "found-done", id, found: null } };
    const wanted = { workspaceId, contentsKey: contentsKey(known.contents), runId: this.#options.runId };
    const same = before.filter((one) => one.contentsKey === wanted.contentsKey);
    const equal = this.#maybeFree(same) ?? this.#maybeFree(await equalJobsIn(this.#db, wanted));
    const best = equal ?? before.find(({ contentsKey: other }) => other !== wanted.contentsKey);
    if (!best && into === undefined) return { event: { kind: "found-done", id, found: null } };
    const imageNow = await this.#options.imageDigestOf({
      image: contents.image,
      ...(backend && { backend }),
    });
    const found = best ? await this.#compared(best, bodyOf(best), known.contents, imageNow) : null;
    if (found?.left || into === undefined) return { event: { kind: "found-done", id, found } };
    const copied = await this.#options.elsewhere.maybeCopied(
      { key, into, wanted },
      { ...known, imageNow },
      (equalJobs) => this.#maybeFree(equalJobs),
    );
    const event = { kind: "found-done", id, found: copied?.found ?? found } as const;
    return { event, ...(copied?.row && { contents: copied.row }) };
  }

  /**
   * Returns the first job that this run has not taken over yet, and reserves the job. Tasks with equal
   * contents may be repeated samples, so two tasks never share the result of one job.
   */
  #maybeFree(jobs: readonly ReusableJobRow[]): ReusableJobRow | undefined {
    const free = jobs.find(({ jobId }) => !this.#used.has(jobId));
    if (free) this.#used.add(free.jobId);
    return free;
  }

  async #compared(
    { jobId, run, workspaceId }: ReusableJobRow,
    { contents, imageDigest, folder, exitCode, collected, stamps }: JobContentsBody,
    now: KnownContents,
    imageNow: string | null,
  ): Promise<ReusableJob> {
    const left = await compareFilesLeft(this.#files, { folder, stamps });
    const facts = [
      ...compareContents(contents, now),
      ...imageFacts(imageDigest, imageNow),
      ...placesOfInputs(contents, now, folder, collected),
      ...(left.some((one) => one.now === null) ? await this.#removal(workspaceId) : []),
      ...left,
    ];
    const name = fullName(run.name, run.runMajor, run.runMinor);
    const one = { from: jobId, run: name, facts: told(facts) };
    return facts.some(differs) ? one : { ...one, left: { folder, exitCode, collected } };
  }

  /** Returns the run that removed the intermediate files of the workspace, if any run did. */
  async #removal(workspaceId: string): Promise<Difference[]> {
    this.#remover ??= maybeRunWithEvent(this.#db, workspaceId, [REMOVED_FILES, UNREAD_FILES]);
    const run = await this.#remover;
    return run
      ? [{ field: REMOVED_BY, before: null, now: fullName(run.name, run.runMajor, run.runMinor) }]
      : [];
  }

  #remember({ contents, inputStamps }: JobContentsBody): void {
    for (const { path, sha256 } of Object.values(contents.inputs)) {
      const stamp = inputStamps[path];
      if (stamp !== undefined) this.#digests.remember(path, stamp, sha256);
    }
  }

  async #maybeKnown({ inputs, ...contents }: JobContents) {
    const known: Record<string, KnownContents["inputs"][string]> = {};
    const stamps: Record<string, string> = {};
    let changedMs = 0;
    for (const [name, path] of Object.entries(inputs)) {
      const digest = await this.#digests.maybeDigest(path);
      if (!digest) return undefined;
      known[name] = { path, sha256: digest.sha256 };
      changedMs = Math.max(changedMs, digest.changedMs);
      if (digest.stamps[path] !== undefined) stamps[path] = digest.stamps[path];
    }
    return { contents: { ...contents, inputs: known }, stamps, changedMs };
  }
}

/** A link from the job's folder to an input leads to where the input was. Then the places of inputs count too. */
function placesOfInputs(
  before: KnownContents,
  now: KnownContents,
  folder: string,
  { listing }: Collected,
): Difference[] {
  const leadsOut = (target: string | null | undefined) =>
    typeof target === "string" && !target.startsWith(`${folder}/`);
  if (!listing?.entries.some(({ target }) => leadsOut(target))) return [];
  return Object.entries(now.inputs).map(([name, { path }]) => ({
    field: `places.${name}`,
    before: before.inputs[name]?.path ?? null,
    now: path,
  }));
}

/** Keeps all differing facts up to a limit, and the first unchanged facts. */
function told(facts: readonly Difference[]): Difference[] {
  return facts.toSorted((one, other) => Number(differs(other)) - Number(differs(one))).slice(0, TOLD_MAX);
}
