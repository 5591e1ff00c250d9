import type { JobRequest, JobState } from "#backends/backend";
import {
  endContainers,
  handOverFiles,
  mayHaveLeftContainer,
  withContainer,
} from "#backends/containers/started-container";
import {
  attemptFolder,
  makeFolder,
  readLogBytes,
  type RemoveTree,
} from "#backends/process/attempt/attempt-folder";
import { DamagedAttempt, isBeingMended } from "#backends/process/attempt/damaged-attempt";
import {
  claimForNobody,
  endIn,
  mark,
  readRecord,
  recordCpu,
  recordDamage,
  recordEnd,
} from "#backends/process/attempt/record";
import { removeSecretFiles } from "#backends/process/attempt/secret-files";
import { cpuMsOfJobs } from "#backends/local/attempts/cpu-of-jobs";
import { endTree } from "#backends/local/attempts/end-tree";
import { isSupervising, unclaimedBy } from "#backends/process/slots/supervision";
import type { ImageSettings } from "#backends/local/images/image-map";
import { withUnusedImage } from "#backends/local/images/unused-image";
import type { Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import type { JobEnd } from "#workflow/job/job";

/** The machine and the folder of all attempts. */
export interface Attempts {
  readonly folder: string;
  readonly hostId: string;
  readonly bootId: string;
  readonly clock: Clock;
  readonly removeTree: RemoveTree;
  /** Stand-ins for container images. */
  readonly images?: ImageSettings;
}

/**
 * Returns undefined if the attempt was prepared and never claimed: the attempt may still be started. After a
 * reboot a missing claim proves nothing (the claim may not have reached the disk), and the job counts as
 * lost. The job is also lost if its files are damaged; `hasBegun` then tells that the attempt was claimed.
 */
export function stateOfAttempt(
  attempts: Attempts,
  request: JobRequest,
  hasBegun = false,
): Promise<JobState | undefined> {
  const read = () => stateByRecord(attempts, request, hasBegun);
  return unlessDamaged(attempts, request.id, read, (end) => ({ status: "ended", end }));
}

async function stateByRecord(
  attempts: Attempts,
  request: JobRequest,
  hasBegun: boolean,
): Promise<JobState | undefined> {
  const { bootId, clock } = attempts;
  const folder = attemptFolder(attempts.folder, request.id);
  const record = readRecord(folder);
  const end = endIn(folder, record);
  if (end) return { status: "ended", end: await settle(attempts, request, end) };
  if (record.owner === undefined && request.hostToken === bootId)
    return stateUnclaimed(folder, bootId, hasBegun);
  if (typeof record.owner === "object" && isSupervising(record.owner, folder, bootId)) {
    crashPoint("claim-seen");
    return { status: "running" };
  }
  // Its end may have been recorded between the two checks: the first end in the record counts.
  const last = recordEnd(folder, clock.now());
  return { status: "ended", end: await settle(attempts, request, last) };
}

function stateUnclaimed(folder: string, bootId: string, hasBegun: boolean): JobState | undefined {
  const by = unclaimedBy(folder, bootId);
  if (hasBegun || by === "without-record" || isBeingMended(folder))
    throw new DamagedAttempt("record", "gone");
  return by === "about-to" ? { status: "running" } : undefined;
}

/**
 * Runs `work`. If the job's files are damaged, ends the job's remaining processes and records the job as
 * lost.
 */
export async function unlessDamaged<Result>(
  attempts: Attempts,
  id: string,
  work: () => Promise<Result>,
  ofLost: (end: JobEnd) => Result,
): Promise<Result> {
  const folder = attemptFolder(attempts.folder, id);
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DamagedAttempt)) throw error;
    await endTree(attempts, [id], folder);
    const end = recordDamage(folder, error, attempts.clock.now());
    await removeSecrets(attempts, folder);
    return ofLost(end);
  }
}

/** Ends processes that escaped from the process group, for a job that was lost or ended by force. */
async function settle(attempts: Attempts, request: JobRequest, end: JobEnd): Promise<JobEnd> {
  const { id } = request;
  const folder = attemptFolder(attempts.folder, id);
  if (end.reason !== "exited") await endTree(attempts, [id], folder);
  else if (mayHaveLeftContainer(end)) await endContainers(attempts, [id]);
  await removeSecrets(attempts, folder);
  return explained(attempts, request, end);
}

/** Adds an explanation from the image, or its absence, to an end. All processes of the job are gone. */
async function explained(
  attempts: Attempts,
  { id, job, workspaceFolder }: JobRequest,
  end: JobEnd,
): Promise<JobEnd> {
  const folder = attemptFolder(attempts.folder, id);
  if (mayHaveLeftContainer(end)) await handOverFiles(folder, workspaceFolder);
  const readLogEnd = async () => String(await readLogBytes(folder, -LOG_END_BYTES, LOG_END_BYTES));
  const inContainer = await withContainer(folder, end, readLogEnd);
  return inContainer === end ? withUnusedImage(folder, job, end, attempts) : inContainer;
}

const LOG_END_BYTES = 4096;

async function removeSecrets({ removeTree }: Attempts, folder: string): Promise<void> {
  await removeSecretFiles(folder, removeTree);
  crashPoint("job-secrets-removed");
}

/** Ends the job of an attempt, and returns its end. A job that has not started never starts. */
export async function cancelAttempt(attempts: Attempts, request: JobRequest): Promise<JobEnd> {
  const { id } = request;
  const folder = attemptFolder(attempts.folder, id);
  const end = await unlessDamaged(
    attempts,
    id,
    async () => explained(attempts, request, await cancelIn(attempts, id, folder)),
    (lost) => lost,
  );
  await removeSecrets(attempts, folder);
  return end;
}

async function cancelIn(attempts: Attempts, id: string, folder: string): Promise<JobEnd> {
  const { bootId, clock } = attempts;
  makeFolder(folder);
  if (readRecord(folder).owner === undefined) stateUnclaimed(folder, bootId, false);
  if (claimForNobody(folder, clock.now())) return endIn(folder) ?? recordEnd(folder, clock.now());
  if (!endIn(folder)) {
    mark(folder, "cancelled");
    recordCpu(folder, await cpuMsOfJobs(attempts.hostId, [{ id, folder }]));
  }
  await endTree(attempts, [id], folder);
  const end = endIn(folder);
  if (end) return end;
  // A killed supervisor records no end. A process that the supervisor was about to start leaves when it finds
  // the recorded end.
  const last = recordEnd(folder, clock.now());
  await endTree(attempts, [id], folder);
  return last;
}
