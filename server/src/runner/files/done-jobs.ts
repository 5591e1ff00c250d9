import type { Answer, Collected, DoneJob, FindDone } from "#engines/engine";
import type { JobOver } from "#runner/loop/arrivals";
import { InputDigests } from "#runner/files/input-digests";
import type { Connection } from "#store/database/database";
import {
  type FinishedJob,
  finishedJobsIn,
  type JobContentsRow,
  maybeEqualJobIn,
} from "#store/jobs/job-contents";
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
import { fullName } from "#workflow/run/run-name";
import type { RunFiles } from "#workspace/run-files";

/** What the row of a finished job holds: enough to judge later whether it has to run again. */
interface DoneBody {
  readonly contents: KnownContents;
  /** Digest of the image that it ran in; null without a container. */
  readonly imageDigest: string | null;
  /** Stamps of the inputs when they were read, by the paths of their files. A folder is not among them. */
  readonly inputStamps: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly exitCode: number | null;
  readonly collected: Collected;
  /** Stamps of all files in the folder. */
  readonly stamps: Readonly<Record<string, string>>;
}

/** Limit on the files that a job may leave and still be taken over. */
const LEFT_MAX_FILES = 10_000;
/** Limit on the facts of one kind that are told: a person looks only at the first few. */
const TOLD_MAX = 20;

/** Remembers finished jobs of one run, and finds those of earlier runs that need not run again. */
export class DoneJobs {
  readonly #db: Connection;
  readonly #files: RunFiles;
  readonly #digests: InputDigests;
  readonly #imageDigestOf: DigestOf;

  constructor(db: Connection, files: RunFiles, imageDigestOf: DigestOf) {
    this.#db = db;
    this.#files = files;
    this.#imageDigestOf = imageDigestOf;
    this.#digests = new InputDigests(files);
  }

  /**
   * Returns the row of a job that has succeeded. Undefined if it could not be compared later: an input was changed after
   * the job had started, or its files cannot all be stamped.
   */
  async maybeRow(
    { ownerId, workspaceId }: Pick<Run, "ownerId" | "workspaceId">,
    { id, job, end }: JobOver,
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
    const body: DoneBody = { contents, imageDigest, inputStamps, folder, exitCode, collected, stamps };
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

  async find(workspaceId: string, { id, key, contents, backend }: FindDone): Promise<Answer> {
    const before = await finishedJobsIn(this.#db, { workspaceId, jobKey: key });
    for (const one of before) this.#remember(bodyOf(one));
    const known = await this.#maybeKnown(contents);
    const equal =
      known && (await maybeEqualJobIn(this.#db, { workspaceId, contentsKey: contentsKey(known.contents) }));
    const best = equal ?? before[0];
    if (!known || !best) return { kind: "found-done", id, found: null };
    const image = await this.#imageDigestOf({ image: contents.image, ...(backend && { backend }) });
    const found = await this.#compared(best, bodyOf(best), known.contents, image);
    return { kind: "found-done", id, found };
  }

  async #compared(
    { jobId, run }: FinishedJob,
    { contents, imageDigest, folder, exitCode, collected, stamps }: DoneBody,
    now: KnownContents,
    imageNow: string | null,
  ): Promise<DoneJob> {
    const facts = [
      ...compareContents(contents, now),
      ...imageFacts(imageDigest, imageNow),
      ...placesOfInputs(contents, now, folder, collected),
      ...(await this.#filesLeft(folder, stamps)),
    ];
    const name = fullName(run.name, run.runMajor, run.runMinor);
    const one = { from: jobId, run: name, facts: told(facts) };
    return facts.some(differs) ? one : { ...one, left: { folder, exitCode, collected } };
  }

  /** Compares the files that a job left with those that are there now. */
  async #filesLeft(folder: string, before: DoneBody["stamps"]): Promise<Difference[]> {
    const found = (await this.#files.maybeStampsAt(folder, LEFT_MAX_FILES)) ?? [];
    const now = Object.fromEntries(found.map(({ path, stamp }) => [path, stamp]));
    const paths = [...new Set([...Object.keys(before), ...Object.keys(now)])];
    return paths.map((path) => ({
      field: `files ${path}`,
      before: before[path] ?? null,
      now: now[path] ?? null,
    }));
  }

  #remember({ contents, inputStamps }: DoneBody): void {
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

function bodyOf({ body }: FinishedJob): DoneBody {
  return JSON.parse(body) as DoneBody;
}

/** For each path, the stamp of a file and the stamp of its copy. */
type StampPairs = Readonly<Record<string, readonly [original: string, copy: string]>>;

/** Returns the body of a row as if the job had left the copies of its files. A file that was not copied keeps its stamp. */
export function movedBody(text: string, pairs: StampPairs): string {
  const body = JSON.parse(text) as DoneBody;
  const moved = (stamps: DoneBody["stamps"]) =>
    Object.fromEntries(
      Object.entries(stamps).map(([path, stamp]) => {
        const pair = Object.hasOwn(pairs, path) ? pairs[path]! : undefined;
        return [path, pair?.[0] === stamp ? pair[1] : stamp];
      }),
    );
  const copied: DoneBody = { ...body, inputStamps: moved(body.inputStamps), stamps: moved(body.stamps) };
  return JSON.stringify(copied);
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

/** Keeps all facts that differ up to a limit, and the first of those that do not. */
function told(facts: readonly Difference[]): Difference[] {
  return facts.toSorted((one, other) => Number(differs(other)) - Number(differs(one))).slice(0, TOLD_MAX);
}
