import type { ReanaJob, ReanaWorkflow } from "#store/reana/reana-rows";
import type { ImportedEnd, ImportedJob } from "#store/runs/imported-runs";
import type { NewRun, Run } from "#store/runs/runs";
import { isLanguage } from "#workflow/language";
import { checkName } from "#workflow/run/run-name";
import { isRunStatus } from "#workflow/run/run-status";
import { isObject } from "#workflow/specification/shape";
import type { Specification } from "#workflow/specification/specification";

/** A workflow of REANA as a run: created, and with its end unless it was never started. */
export interface ConvertedRun {
  readonly run: Omit<NewRun, "ownerId" | "workspaceId"> & Pick<Run, "runMajor" | "runMinor">;
  readonly end: ImportedEnd | undefined;
}

/** Why a workflow cannot be taken. */
export interface NotTaken {
  readonly reason: string;
}

const NOT_ENDED = "it has not ended yet; import again when it has";

export function convertRun(workflow: ReanaWorkflow): ConvertedRun | NotTaken {
  const { name, status, runMajor, specification } = workflow;
  if (!isRunStatus(status)) return { reason: `its status is "${status}"` };
  if (status === "queued" || status === "pending" || status === "running") return { reason: NOT_ENDED };
  const problem = checkName(name);
  if (problem !== undefined) return { reason: `its name "${name}" is not a name here` };
  if (runMajor === null) return { reason: "it has no run number" };
  if (!isSpecification(specification)) return { reason: "it has no specification of a known workflow type" };
  return {
    run: {
      id: workflow.id,
      name,
      runMajor,
      runMinor: workflow.runMinor ?? 0,
      language: specification.workflow.type,
      specification,
      launcherUrl: workflow.launcherUrl,
      createdAtMs: Math.round(workflow.createdAtMs),
    },
    end: status === "created" ? undefined : endOf(workflow, status, specification),
  };
}

function isSpecification(value: unknown): value is Specification {
  return isObject(value) && isObject(value["workflow"]) && isLanguage(value["workflow"]["type"]);
}

function endOf(
  workflow: ReanaWorkflow,
  status: ImportedEnd["status"],
  specification: Specification,
): ImportedEnd {
  const count = (kind: string) => countIn(workflow.progress, kind);
  return {
    status,
    specification,
    inputParameters: objectOf(workflow.inputParameters),
    operationalOptions: objectOf(workflow.operationalOptions),
    jobsTotal: count("total"),
    jobsFinished: count("finished"),
    jobsFailed: count("failed"),
    cpuMs: Math.round(workflow.cpuMs ?? 0),
    log: workflow.logs ?? "",
    ...timesOf(workflow, status),
  };
}

/** A stopped workflow has the time of its stop in `run_finished_at`, unless REANA has a column for that time. */
function timesOf(
  { startedAtMs, finishedAtMs, stoppedAtMs }: ReanaWorkflow,
  status: ImportedEnd["status"],
): Pick<ImportedEnd, "startedAtMs" | "finishedAtMs" | "stoppedAtMs"> {
  const isStopped = status === "stopped";
  return {
    startedAtMs: rounded(startedAtMs),
    finishedAtMs: isStopped ? null : rounded(finishedAtMs),
    stoppedAtMs: isStopped ? rounded(stoppedAtMs ?? finishedAtMs) : rounded(stoppedAtMs),
  };
}

/** Returns the number of jobs of a kind: `{"total": {"total": 3, "job_ids": []}, …}`. */
function countIn(progress: unknown, kind: string): number {
  const total = objectOf(objectOf(progress)[kind])["total"];
  return typeof total === "number" && Number.isSafeInteger(total) ? total : 0;
}

/** The place in which the logs of imported jobs are kept. */
export type LogPlace = Pick<ImportedJob, "backend" | "hostId">;

/** Jobs of a serial workflow belong to the node of their step, others to a node of their name. */
export function convertJob(job: ReanaJob, { workflow }: Specification, place: LogPlace): ImportedJob {
  const name = job.name ?? "";
  return {
    ...place,
    id: job.id,
    name,
    node: workflow.type === "serial" ? nodeOfStep(workflow.specification, name) : name,
    command: commandOf(job.command),
    image: job.image,
    outsideId: job.outsideId,
    status: statusOf(job.status),
    createdAtMs: Math.round(job.createdAtMs),
    startedAtMs: rounded(job.startedAtMs),
    finishedAtMs: rounded(job.finishedAtMs),
  };
}

function nodeOfStep(serial: unknown, name: string): string {
  const steps = objectOf(serial)["steps"];
  const place = Array.isArray(steps) ? steps.findIndex((step) => objectOf(step)["name"] === name) : -1;
  return place === -1 ? name : String(place);
}

/** Maps an unfinished job of an ended workflow to `stopped`. */
function statusOf(status: string): ImportedJob["status"] {
  return status === "finished" || status === "failed" ? status : "stopped";
}

/** Commands are JSON: a text, or a text with JSON in it. */
function commandOf(command: unknown): string {
  if (typeof command === "string") return command;
  return command === null || command === undefined ? "" : JSON.stringify(command);
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function rounded(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms);
}
