import { type SpecificationSource, createdWarnings } from "#cli/specification/specification-fault";
import type { CreatedRun, JobView, RunService } from "#cli/run/service/run-service";
import { sendInputs } from "#cli/run/service/send-inputs";
import type { Caller } from "#operations/context";
import type { Operations } from "#operations/operations";
import { createRun, type Created } from "#operations/runs/create/create-run";
import { createRunFromGit } from "#operations/runs/create/create-run-from-git";
import { deleteRun } from "#operations/runs/delete-run";
import { followJobLog } from "#operations/watch/follow/follow-job-log";
import { downloadFile, type OpenFile } from "#operations/files/download-file";
import { findRun } from "#operations/find-run";
import { getDefinition } from "#operations/runs/create/definition";
import { getFailure } from "#operations/watch/failure";
import { fullNameOf } from "#operations/full-name";
import { listFiles } from "#operations/files/list-files";
import { listRuns } from "#operations/runs/list/list-runs";
import { startRun } from "#operations/runs/start/start-run";
import { stopRun } from "#operations/runs/stop-run";
import { copyFileIn } from "#operations/files/upload-file";
import { maybeRunTookMs } from "#operations/watch/get-usage";
import { shownCommand } from "#operations/watch/shown-command";
import { maybeWaitingFor } from "#operations/watch/waiting-for";
import { Refusal } from "#plumbing/errors";
import { listen } from "#store/database/wake-ups";
import { type JobRecord, jobsOfRun } from "#store/jobs/jobs";
import { isLive, RUN_STATUSES } from "#workflow/run/run-status";
import { jobsInTotal, maybeTookMs } from "#workflow/job/job";

/** Runs of `reprise run` in this process. If a server is live, runs use HTTP instead. */
export function localRuns(context: Operations, caller: Caller, close: () => Promise<unknown>): RunService {
  return {
    async close() {
      try {
        return { unfinished: await liveRunsOf(context, caller) };
      } finally {
        await close();
      }
    },
    async create(name, document, file) {
      const placeOf = file && { placeOf: (path: string) => file.placeOf(path) };
      return created(await createRun(context, caller, { name, document, ...placeOf }), file);
    },
    createFromGit: async (name, address) =>
      created(await createRunFromGit(context, caller, { name, address })),
    async find(name) {
      const run = await findRun(context, caller, name, "see");
      return { id: run.id, name: fullNameOf(run), warnings: [] };
    },
    specification: async (id) => (await getDefinition(context, caller, id)).definition.specification,
    upload: (id, files, sending) =>
      sendInputs(files, sending, ({ name, file }) =>
        copyFileIn(context, caller, { address: id, fileName: name, file, onBytes: sending.onBytes }),
      ),
    start: async (id, values) => (await startRun(context, caller, { address: id, ...values })).warning,
    view: (id) => view(context, caller, id),
    onChange: (id, listener) =>
      listen(context.db, {
        hear: (wakeUp) => wakeUp.kind === "run-changed" && wakeUp.runId === id && listener(),
        afterGap: listener,
      }),
    failure: (id) => getFailure(context, caller, id),
    async *printed(id, job, from) {
      const log = await followJobLog(context, caller, { address: id, job, from, follow: false });
      yield* log.chunks(NEVER);
    },
    async stop(id) {
      await stopRun(context, caller, id);
    },
    async discard(id) {
      await deleteRun(context, caller, { address: id, allRuns: false });
    },
    async list(id, pattern) {
      const { items } = await listFiles(context, caller, { address: id, pattern, paging: { page: 1 } });
      return items.filter((entry) => entry.kind !== "folder").map(({ name, bytes }) => ({ name, bytes }));
    },
    read: async (id, name) => (await openFile(context, caller, id, name)).stream(),
    async fetch(id, name, target, onBytes) {
      const file = await openFile(context, caller, id, name);
      try {
        await file.copyTo(target, { clock: context.clock, onBytes });
      } finally {
        await file.close();
      }
    },
  };
}

async function openFile(context: Operations, caller: Caller, id: string, name: string): Promise<OpenFile> {
  const found = await downloadFile(context, caller, { address: id, fileName: name });
  if (found.kind === "file") return found.file;
  throw new Refusal("absent", `${name} has become a folder.`);
}

async function liveRunsOf(context: Operations, caller: Caller): Promise<string[]> {
  const wanted = {
    relation: { kind: "own" as const },
    statuses: RUN_STATUSES.filter(isLive),
    order: "oldest" as const,
    withProgress: false,
    withNotebooks: false,
    withWorkspaceSize: false,
  };
  const { items } = await listRuns(context, caller, wanted, { page: 1, size: 100 });
  return items.map(({ run }) => fullNameOf(run));
}

/** Signal for readers that end without being cancelled. */
const NEVER = new AbortController().signal;

function created({ id, fullName, warnings }: Created, file?: SpecificationSource): CreatedRun {
  return { id, name: fullName, warnings: createdWarnings(warnings, file) };
}

async function view(context: Operations, caller: Caller, id: string): ReturnType<RunService["view"]> {
  const run = await findRun(context, caller, id, "see");
  const jobs = await jobsOfRun(context.db, id);
  const { folder: workspaceFolder } = context.workspaces.of(run.workspaceId);
  return {
    status: run.status,
    waitingFor: await maybeWaitingFor(context.db, run, context.scheduler.hostStatus()),
    tookMs: maybeRunTookMs(run),
    jobsTotal: jobsInTotal(run, jobs.length),
    jobsFinished: jobs.filter((job) => job.status === "finished").length,
    jobs: jobs.map((job) => jobView(job, workspaceFolder)),
  };
}

function jobView(job: JobRecord, workspaceFolder: string): JobView {
  return {
    id: job.id,
    step: job.name,
    label: job.label,
    command: job.command,
    shownCommand: shownCommand(job.command, { workspaceFolder, key: job.key }),
    status: job.status === "queued" ? "created" : job.status,
    reason: job.reason,
    tookMs: maybeTookMs(job),
  };
}
