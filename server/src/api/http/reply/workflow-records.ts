import Type, { type Static } from "typebox";
import { nullable, oneOf, reanaTime, recordOf } from "#api/http/document/schemas";
import { fullNameOf } from "#operations/full-name";
import type { ListedRun } from "#operations/runs/list/list-runs";
import { maybeRunTookMs } from "#operations/watch/get-usage";
import type { JobGroup, JobProgress } from "#operations/watch/progress/progress";
import type { Run } from "#operations/find-run";
import { toWireTime } from "#plumbing/clock";
import { humanSize } from "#plumbing/text/human-size";
import { NOTEBOOK_STATUSES, NOTEBOOK_TYPES } from "#workflow/notebook";
import { RUN_STATUSES } from "#workflow/run/run-status";

/** REANA's records of a workflow, and the conversions to them. */

export const WORKFLOW_PARAMS = Type.Object({
  workflow_id_or_name: Type.String({ description: "A UUID, `name`, `name.3` or `name.3.1`." }),
});

/** Fields with which a reply names its run, with the run number. */
export const RUN_NAMED = {
  workflow_id: Type.String({ format: "uuid" }),
  workflow_name: Type.String({ description: "With the run number: `fit.1`." }),
};

export function namedRun(run: Run): { workflow_id: string; workflow_name: string } {
  return { workflow_id: run.id, workflow_name: fullNameOf(run) };
}

export const RunStatusWord = oneOf(RUN_STATUSES, { title: "RunStatus" });

export const Size = Type.Object(
  {
    raw: Type.Integer({ description: "Size in bytes, or -1 if the size was not requested." }),
    human_readable: Type.String(),
  },
  { title: "Size" },
);

/** Field with which a record of a run names the restart that followed. */
export const RESTARTED_AS = {
  restarted_as: Type.Optional(
    Type.Object(
      { ...RUN_NAMED, status: RunStatusWord },
      {
        title: "RestartedAs",
        description:
          "The newest restart of this run. Both share the workspace, so the present files belong to the restart. " +
          "Absent if none followed.",
      },
    ),
  ),
};

/** Field with which a record of a restart names the run before it. */
export const RESTART_OF = {
  restart_of: Type.Optional(
    Type.Object(RUN_NAMED, {
      title: "RestartOf",
      description: "Previous run in the shared workspace. Absent for the first run of a workspace.",
    }),
  ),
};

export function restartedAs(run: Run | undefined) {
  return run && { restarted_as: { ...namedRun(run), status: run.status } };
}

const JobGroupRecord = Type.Object(
  { total: Type.Integer(), job_ids: Type.Array(Type.String()) },
  { title: "JobGroup" },
);

const RUN_TIMES = {
  run_started_at: nullable(reanaTime()),
  run_finished_at: nullable(reanaTime()),
  run_stopped_at: nullable(reanaTime()),
  wall_ms: nullable(
    Type.Integer({
      description: "Milliseconds from start to end. Null for a run without a start or an end.",
    }),
  ),
};

const JOB_PROGRESS = {
  total: JobGroupRecord,
  running: JobGroupRecord,
  finished: JobGroupRecord,
  failed: JobGroupRecord,
  current_command: nullable(Type.String()),
  current_step_name: nullable(Type.String()),
  current_label: nullable(
    Type.String({
      description: "The `label` of the job with this command: the step and, in a scatter, the task.",
    }),
  ),
};

export const ProgressRecord = Type.Object({ ...RUN_TIMES, ...JOB_PROGRESS }, { title: "Progress" });

export const WorkflowItem = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    name: Type.String({ description: "With the run number: `fit.3`." }),
    status: RunStatusWord,
    user: Type.String({ format: "uuid" }),
    created: reanaTime(),
    launcher_url: nullable(Type.String()),
    owner_email: Type.String(),
    shared_with: Type.Array(Type.String()),
    services: Type.Array(
      Type.Object({
        name: Type.String(),
        type: Type.String({ description: "Always `dask` for a Dask cluster." }),
        status: Type.String({ description: "`created` while the service runs, then `deleted`." }),
      }),
      { description: "The Dask cluster of a run that has one, from its start on." },
    ),
    progress: Type.Object({ ...RUN_TIMES, ...Type.Partial(Type.Object(JOB_PROGRESS)).properties }),
    size: Size,
    ...RESTARTED_AS,
    session_type: Type.Optional(
      oneOf(NOTEBOOK_TYPES, { description: "Present while the run has a notebook." }),
    ),
    session_uri: Type.Optional(
      Type.String({ description: "Path used by REANA's clients to open the session." }),
    ),
    session_status: Type.Optional(oneOf(NOTEBOOK_STATUSES)),
    session_secret: Type.Optional(Type.String()),
    parameters: Type.Optional(
      recordOf(Type.Unknown(), { description: "Parameter values of the run, without very long values." }),
    ),
    note: Type.Optional(Type.String({ description: "Note of the owner, or an empty string." })),
    tags: Type.Optional(Type.Array(Type.String())),
    outputs: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String(),
            bytes: Type.Integer(),
            sha256: nullable(Type.String()),
            is_current: Type.Boolean({
              description: "False if a later run started in the workspace, which may have replaced the file.",
            }),
            text: Type.Optional(
              Type.String({
                description: "The content of the file, if the file still exists and holds one short line.",
              }),
            ),
          },
          { title: "ListedOutput" },
        ),
        { description: "Declared outputs at the end of the run, at most 20." },
      ),
    ),
  },
  { title: "WorkflowListItem" },
);

const NO_SIZE = { raw: -1, human_readable: "" };

export function workflowItem(listed: ListedRun): Static<typeof WorkflowItem> {
  const { run, ownerEmail, sharedWith, progress, cluster, notebook, workspaceBytes } = listed;
  const { parameters, annotation, outputs } = listed;
  return {
    id: run.id,
    name: fullNameOf(run),
    status: run.status,
    user: run.ownerId,
    created: toWireTime(run.createdAtMs),
    launcher_url: run.launcherUrl,
    owner_email: ownerEmail,
    shared_with: [...sharedWith],
    services: cluster ? [daskService(run.id, cluster)] : [],
    progress: progress ? progressRecord(run, progress) : runTimes(run),
    size: workspaceBytes === undefined ? NO_SIZE : sizeRecord(workspaceBytes),
    ...restartedAs(listed.restartedAs),
    ...(notebook && {
      session_type: "jupyter" as const,
      session_uri: `/${run.id}`,
      session_status: notebook.status,
      ...(notebook.secret !== undefined && { session_secret: notebook.secret }),
    }),
    ...(parameters && { parameters: { ...parameters } }),
    ...(annotation && { note: annotation.note, tags: [...annotation.tags] }),
    ...(outputs && {
      outputs: outputs.map(({ isCurrent, ...output }) => ({ ...output, is_current: isCurrent })),
    }),
  };
}

/** REANA's record of the Dask cluster of a run. */
function daskService(runId: string, { isOpen }: { readonly isOpen: boolean }) {
  return { name: `dask-service-${runId}`, type: "dask", status: isOpen ? "created" : "deleted" };
}

export function sizeRecord(bytes: number): Static<typeof Size> {
  return { raw: bytes, human_readable: humanSize(bytes) };
}

export function progressRecord(run: Run, progress: JobProgress): Static<typeof ProgressRecord> {
  return {
    ...runTimes(run),
    total: jobGroup(progress.total),
    running: jobGroup(progress.running),
    finished: jobGroup(progress.finished),
    failed: jobGroup(progress.failed),
    current_command: progress.currentCommand,
    current_step_name: progress.currentStepName,
    current_label: progress.currentLabel,
  };
}

function jobGroup({ total, jobIds }: JobGroup): Static<typeof JobGroupRecord> {
  return { total, job_ids: [...jobIds] };
}

/**
 * Returns the times of a run as REANA does. `run_finished_at` is set on a stop too, because REANA's clients
 * show only `run_finished_at` as the end.
 */
function runTimes(run: Run) {
  return {
    run_started_at: timeOrNull(run.startedAtMs),
    run_finished_at: timeOrNull(run.finishedAtMs ?? run.stoppedAtMs),
    run_stopped_at: timeOrNull(run.stoppedAtMs),
    wall_ms: maybeRunTookMs(run) ?? null,
  };
}

export function timeOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : toWireTime(epochMs);
}
