import { BackendAwayError } from "#backends/backend";
import type { ListedJob } from "#backends/record/place";
import { printable } from "#plumbing/text/printable";

/** The attributes of a job that a listing needs. */
const ATTRIBUTES = [
  "ClusterId",
  "ProcId",
  "JobBatchName",
  "GlobalJobId",
  "JobStatus",
  "NumJobStarts",
  "LastRejMatchReason",
  "HoldReason",
  "RemoveReason",
  "ExitCode",
];

/** The arguments of `condor_q` and `condor_history` for the jobs of this server's user. */
export const LISTING_WORDS: readonly string[] = [
  "-json",
  "-attributes",
  ATTRIBUTES.join(","),
  "-constraint",
  'regexp("^reprise-", JobBatchName)',
];

/** A job as HTCondor describes it. */
export interface JobAd {
  readonly ClusterId: number;
  readonly ProcId: number;
  readonly JobBatchName: string;
  /** The name of the schedd, a number sign, and the number of the job. */
  readonly GlobalJobId: string;
  readonly JobStatus: number;
  /** How often the command was started on a node. */
  readonly NumJobStarts?: number;
  readonly LastRejMatchReason?: string;
  readonly HoldReason?: string;
  readonly RemoveReason?: string;
  readonly ExitCode?: number;
}

/** Parses what `condor_q` or `condor_history` printed. Without jobs, `condor_q` prints nothing. */
export function parseAds(program: string, text: string): readonly JobAd[] {
  if (text.trim() === "") return [];
  try {
    return JSON.parse(text) as readonly JobAd[];
  } catch (error) {
    const start = printable(text.trim(), 100);
    throw new BackendAwayError(`HTCondor: ${program} printed something else than JSON: ${start}.`, {
      cause: error,
    });
  }
}

/** Returns the name of the schedd that has the jobs. Undefined without jobs. */
export function scheddOf([first]: readonly JobAd[]): string | undefined {
  return first && /^(.*)#\d+\.\d+#\d+$/.exec(first.GlobalJobId)?.[1];
}

/** Returns the name of the schedd in the head of the table that `condor_q -totals` prints. */
export function scheddIn(table: string): string | undefined {
  return /^-- Schedd: (\S+) : /m.exec(table)?.[1];
}

/** Returns the jobs of each name. A job of the history has left the queue. */
export function listedJobs(
  queue: readonly JobAd[],
  history: readonly JobAd[] = [],
): ReadonlyMap<string, readonly ListedJob[]> {
  const jobs = new Map<string, ListedJob[]>();
  const add = (ad: JobAd, phase: Pick<ListedJob, "phase" | "sentence">) => {
    const listed = { outsideId: `${ad.ClusterId}.${ad.ProcId}`, ...phase };
    jobs.set(ad.JobBatchName, [...(jobs.get(ad.JobBatchName) ?? []), listed]);
  };
  for (const ad of queue) add(ad, phaseOf(ad));
  for (const ad of history) add(ad, { phase: "over", sentence: endSentence(ad) });
  return jobs;
}

const IDLE = 1;
const REMOVED = 3;
const COMPLETED = 4;
const HELD = 5;

function endSentence({ JobStatus: status, RemoveReason, ExitCode = 0 }: JobAd): string {
  if (status === REMOVED) return `HTCondor removed the job: ${said(RemoveReason)}.`;
  if (ExitCode === 0) return "HTCondor says that the script ended.";
  return `HTCondor says that the script ended with exit code ${ExitCode}: the node may not see the data folder at the same path.`;
}

/** HTCondor starts a job again whose node has failed. The second start finds the claim and leaves. */
function phaseOf(ad: JobAd): Pick<ListedJob, "phase" | "sentence"> {
  const id = `${ad.ClusterId}.${ad.ProcId}`;
  switch (ad.JobStatus) {
    case IDLE:
      return { phase: "waiting", sentence: idleSentence(ad, id) };
    case COMPLETED:
      return { phase: "over", sentence: endSentence(ad) };
    case HELD:
      return heldPhase(ad, id);
    // A removed job stays in the queue until its node has confirmed that it is gone.
    default:
      return { phase: "active", sentence: "HTCondor runs the job." };
  }
}

function idleSentence({ LastRejMatchReason: rejected }: JobAd, id: string): string {
  if (rejected === undefined) return "HTCondor has not looked for a machine for the job yet";
  return `HTCondor has no machine for the job: ${said(rejected)} (\`condor_q -better-analyze ${id}\` explains it)`;
}

/** A job that is held before its start can still start. HTCondor has ended one that was held later. */
function heldPhase(
  { HoldReason, NumJobStarts = 0 }: JobAd,
  id: string,
): Pick<ListedJob, "phase" | "sentence"> {
  const held = `HTCondor holds the job: ${said(HoldReason)}`;
  if (NumJobStarts > 0) return { phase: "over", sentence: `${held}.` };
  const wayOut = `\`condor_release ${id}\` frees it, \`condor_rm ${id}\` or a stop of the run ends it`;
  return { phase: "waiting", sentence: `${held} (${wayOut})` };
}

function said(reason: string | undefined): string {
  return printable((reason ?? "it does not say why").replaceAll(/\s+/g, " ").trim(), 300).replace(/\.$/, "");
}

/** Parses the lines of `condor_status`, one word or two: the names of the machines that answer. */
export function machinesIn(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter((name) => name !== "" && name !== "undefined"));
}
