import { createHash } from "node:crypto";
import path from "node:path";
import type { Collected, ReusableJob, FindDone } from "#engines/engine";
import { Refusal } from "#plumbing/errors";
import { isForEver } from "#runner/files/answer-ask";
import {
  bodyOf,
  compareFilesLeft,
  type JobContentsBody,
  LEFT_MAX_FILES,
} from "#runner/files/job-contents-body";
import type { Connection } from "#store/database/database";
import {
  equalJobsElsewhere,
  type ReusableJobRow,
  type JobContentsRow,
  type WantedContents,
} from "#store/jobs/job-contents";
import type { Run } from "#store/runs/runs";
import { UNSURE_STAMP } from "#workflow/job/file-stamps";
import { imageFacts } from "#workflow/job/image-digest";
import { compareContents, differs, type KnownContents } from "#workflow/job/job-contents";
import { fullName } from "#workflow/run/run-name";
import type { RunFiles } from "#workspace/run-files";
import type { Workspaces } from "#workspace/workspaces";

/**
 * Copies the files of a job from another workspace into a folder of this workspace. Does nothing if the files
 * exist already.
 */
export type BringFolder = (request: {
  /** Identifies the pair of job and task. */
  readonly id: string;
  readonly workspaceId: string;
  readonly from: string;
  readonly to: string;
  /** Throws a refusal if the files must not be used. Called when all are copied, before they are in place. */
  readonly beforePlacing: () => Promise<void>;
}) => Promise<void>;

interface ElsewhereContext {
  readonly db: Connection;
  readonly workspaces: Pick<Workspaces, "of">;
  readonly run: Pick<Run, "ownerId" | "workspaceId">;
  readonly files: RunFiles;
  readonly signal: AbortSignal;
  readonly bring: BringFolder;
}

const ID_DIGITS = 20;
/** Limit on the equal jobs that are tried, in case the files of some were changed. */
const TRIED_MAX = 5;

/** Contents of a job about to run, stamps of its inputs, and the digest of its image. */
interface Known {
  readonly contents: KnownContents;
  readonly stamps: JobContentsBody["inputStamps"];
  readonly imageNow: string | null;
}

interface Copied {
  readonly found: ReusableJob;
  /**
   * The row of the job as if the job had left the copies. Optional: the copies may be impossible to compare
   * later.
   */
  readonly row?: JobContentsRow;
}

/** Takes over finished jobs from other workspaces of the user, and copies their files. */
export class ReusableElsewhere {
  readonly #context: ElsewhereContext;

  constructor(context: ElsewhereContext) {
    this.#context = context;
  }

  /** Copies the files of the newest equal job with untouched files. Undefined if no job qualifies. */
  async maybeCopied(
    { key, into, wanted }: Pick<FindDone, "key"> & { readonly into: string; readonly wanted: WantedContents },
    known: Known,
    maybeFree: (jobs: readonly ReusableJobRow[]) => ReusableJobRow | undefined,
  ): Promise<Copied | undefined> {
    const { db, run } = this.#context;
    const equal = await equalJobsElsewhere(db, { ...wanted, ownerId: run.ownerId });
    for (let tried = 0; tried < TRIED_MAX; tried += 1) {
      const job = maybeFree(equal);
      if (!job) return undefined;
      const id = createHash("sha256").update(`${job.jobId} ${key}`).digest("hex").slice(0, ID_DIGITS);
      const to = `${into}/${id}/${path.posix.basename(bodyOf(job).folder)}`;
      const copied = await this.#maybeOne(job, { id, key, to }, known);
      if (copied) return copied;
    }
    return undefined;
  }

  async #maybeOne(
    job: ReusableJobRow,
    { id, key, to }: { readonly id: string; readonly key: string; readonly to: string },
    { contents, stamps: inputStamps, imageNow }: Known,
  ): Promise<Copied | undefined> {
    const { workspaces, signal, bring, run, files } = this.#context;
    const body = bodyOf(job);
    const { exitCode, imageDigest } = body;
    const image = imageFacts(imageDigest, imageNow);
    if (image.some(differs)) return undefined;
    // A link leads into the other workspace.
    if (body.collected.listing?.entries.some(({ kind }) => kind === "link")) return undefined;
    const source = workspaces.of(job.workspaceId).forRun(signal);
    const { jobId, workspaceId } = job;
    const beforePlacing = async () => mustBeUntouched(source, body);
    try {
      await beforePlacing();
      await bring({ id, workspaceId, from: body.folder, to, beforePlacing });
    } catch (error) {
      if (error instanceof Refusal && (isForEver(error) || error.kind === "conflict")) return undefined;
      throw error;
    }
    const left = { folder: to, exitCode, collected: movedCollected(body, to) };
    const name = fullName(job.run.name, job.run.runMajor, job.run.runMinor);
    const found: ReusableJob = {
      from: jobId,
      run: name,
      facts: [...compareContents(contents, contents), ...image],
      left,
    };
    const stamped = await files.maybeStampsAt(to, LEFT_MAX_FILES);
    if (!stamped || stamped.some(({ stamp }) => stamp === UNSURE_STAMP)) return { found };
    const stamps = Object.fromEntries(stamped.map((file) => [file.path, file.stamp]));
    const made: JobContentsBody = { ...left, contents, imageDigest, inputStamps, stamps };
    const row = {
      jobId,
      workspaceId: run.workspaceId,
      ownerId: run.ownerId,
      jobKey: key,
      contentsKey: job.contentsKey,
      body: JSON.stringify(made),
      createdAtMs: job.createdAtMs,
    };
    return { found, row };
  }
}

async function mustBeUntouched(files: RunFiles, body: JobContentsBody): Promise<void> {
  const changed = (await compareFilesLeft(files, body)).find(differs);
  if (changed) throw new Refusal("conflict", `Its ${changed.field} has changed since it ended.`);
}

/** Returns the collected facts of a job, with the folder of the copies in place of the job's own folder. */
function movedCollected({ folder, collected }: JobContentsBody, to: string): Collected {
  const moved = <File extends { readonly path: string }>(file: File): File => ({
    ...file,
    path: file.path === folder ? to : `${to}${file.path.slice(folder.length)}`,
  });
  const { listing, sums, texts } = collected;
  return {
    ...collected,
    ...(listing && { listing: { ...listing, entries: listing.entries.map(moved) } }),
    ...(sums && { sums: sums.map(moved) }),
    ...(texts && { texts: texts.map(moved) }),
  };
}
