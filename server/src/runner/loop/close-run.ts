import type { Backends } from "#backends/backends";
import { crashPoint } from "#plumbing/crash-points";
import type { ChangeDetector } from "#runner/files/change-detector";
import { type Closing, closingDecided, withEndedJobs } from "#runner/turn/closing";
import type { FileRequests } from "#runner/files/file-requests";
import { withoutIntermediates } from "#runner/files/intermediates";
import type { JobDispatcher } from "#runner/jobs/job-dispatcher";
import type { Progress } from "#runner/turn/progress";
import type { EndedJob, JobStamps, RunRecord } from "#runner/turn/record";
import type { RunJournal } from "#runner/turn/run-journal";
import { afterPublishing, type PublishAtEndContext } from "#runner/outputs/publish-at-end";
import type { Inbox } from "#runner/turn/arrivals";
import { maybeResults, type ResultsContext } from "#runner/files/run-results";
import { jobPlacesOfRun, openJobs } from "#store/jobs/jobs";
import { oneDefinition, type Run } from "#store/runs/runs";
import type { Lease } from "#store/hosts/leases";
import type { KeepRequest } from "#workflow/run/kept-files";
import { withVerdict } from "#workflow/job/job";
import { declaredPaths } from "#workflow/specification/declared-paths";
import type { OutputDestination } from "#workflow/specification/output-destination";
import { ignoreDamage } from "#workspace/safe-path";

/** Everything in use by a run, to be released at the end of the run. */
export interface RunParts {
  readonly journal: RunJournal;
  readonly jobs: JobDispatcher;
  readonly requests: FileRequests;
  readonly detector: ChangeDetector;
}

interface CloseContext extends ResultsContext, PublishAtEndContext {
  readonly backends: Pick<Backends, "named">;
}

/**
 * Ends a run, in this order: ends its jobs and proves them gone; waits for file requests; ends background
 * processes; records the end. No work is left for later, because an ended run is never resumed and its files
 * may be deleted.
 */
export async function closeRun(
  context: CloseContext,
  run: Run,
  {
    progress,
    parts,
    closing: decided,
    keepRequest,
    declared,
    destination,
    lease,
    inbox,
  }: {
    readonly progress: Progress;
    readonly parts: RunParts;
    readonly closing: Closing;
    /** Set if the run keeps its outputs only. */
    readonly keepRequest: KeepRequest | undefined;
    /**
     * The outputs declared by the specification. Optional: a run may end before its specification is read.
     */
    readonly declared: readonly string[] | undefined;
    /** Set if the outputs are published at the end. */
    readonly destination: OutputDestination | undefined;
    readonly lease: Lease;
    readonly inbox: Inbox;
  },
): Promise<void> {
  const { journal, requests } = parts;
  const closing = keepRequest ? await recordedBefore(progress, parts, decided) : decided;
  const ended = closing.hasJobs ? await endJobs(context, run, parts, progress) : [];
  await requests.settled();
  await endLeftovers(context, run);
  crashPoint("leftovers-ended");
  // From here on the outputs no longer change.
  const outputs = declared ?? declaredPaths((await oneDefinition(context.db, run.id)).specification).outputs;
  const results = await maybeResults(context, run, outputs);
  crashPoint("results-collected");
  const atEnd = { record: closing.record, declared: outputs, destination, results, lease, inbox };
  const published = await afterPublishing(context, run, atEnd);
  const prepared = keepRequest
    ? await withoutIntermediates(context, run, { request: keepRequest, journal, record: published })
    : published;
  const record: RunRecord = closing.hasJobs
    ? withEndedJobs(prepared, ended, await stampsAfter(parts, progress, ended))
    : prepared;
  const workspace = context.workspaces.of(run.workspaceId);
  // From the commit on, a restart may stage files in the same workspace.
  const staged = await workspace.stagedJobs();
  await journal.commit({ ...record, results });
  await workspace.endStaging(staged);
}

/**
 * Records the last events of a run that finishes before anything is removed: a resumed run must not collect the files of
 * its last job again after some of them are gone.
 */
async function recordedBefore(progress: Progress, { journal }: RunParts, closing: Closing): Promise<Closing> {
  const { ending, ...record } = closing.record;
  if (closing.hasJobs || ending?.do !== "finish") return closing;
  await journal.commit(record);
  return closingDecided(progress, ending);
}

/** Ends background processes of the run's jobs, in the place of each job. */
async function endLeftovers({ db, backends }: CloseContext, run: Run): Promise<void> {
  for await (const places of jobPlacesOfRun(db, run.id)) {
    for (const [name, jobs] of Map.groupBy(places, ({ backend }) => backend)) {
      await backends.named(name).endLeftovers(jobs.map(({ id }) => id));
    }
  }
}

async function endJobs(
  { db }: CloseContext,
  run: Run,
  { journal, jobs }: RunParts,
  progress: Progress,
): Promise<EndedJob[]> {
  await journal.assertLease();
  const ended = await jobs.cancel(await openJobs(db, run.id));
  crashPoint("jobs-cancelled");
  // A job may have ended before the cancellation. The job's success codes then apply.
  return ended.map((one) => {
    const issued = progress.jobs.get(one.key);
    return issued ? { ...one, end: withVerdict(issued.job, one.end) } : one;
  });
}

/** Stamps the files of the ended jobs for a later restart. */
async function stampsAfter(
  { detector }: RunParts,
  progress: Progress,
  ended: readonly EndedJob[],
): Promise<JobStamps[]> {
  const last = ended.findLast(({ key }) => progress.jobs.get(key)?.job.isStamped);
  const stamps = last && (await detector.maybeChanges(last.id, last.end).catch(ignoreDamage));
  return last && stamps ? [{ id: last.id, stamps }] : [];
}
