import type { Backend } from "#backends/backend";
import type { Ask, EngineEvent, JobEnded } from "#engines/engine";
import { crashPoint } from "#plumbing/crash-points";
import { type AskContext, carryOutAsk, maybeListing } from "#runner/carry-out-ask";
import { jobIdOf } from "#runner/job-id";
import type { RunTracer } from "#runner/run-tracer";
import type { UserSecrets } from "#runner/user-secrets";
import type { Workflow } from "#store/workflows";
import { attemptOf, type Job, type JobEnd, succeeded } from "#workflow/job";
import type { Trace } from "#workflow/trace";

/**
 * Errands run outside the run's queue, because they may take long: answering what the engine asks of files, and
 * collecting what goes with the end of a job. They do not change the run: their results arrive as events.
 */
export interface RunErrands {
  ask(asks: readonly Ask[]): void;
  tellEnd(job: Job, end: JobEnd): void;
  /** Drops waiting errands and resolves when none is running. */
  settled(): Promise<void>;
  /** Starts no further errands. */
  letGo(): void;
}

interface ErrandsOptions {
  readonly tracer: RunTracer;
  readonly arrive: (event: EngineEvent, trace?: Trace) => void;
  readonly giveUp: (error: unknown) => void;
}

interface Arrival {
  readonly event: EngineEvent;
  readonly trace: Trace | undefined;
}

/** Limits on the part of a failed job's log that is kept with the event. */
const LAST_LINES = 20;
const LAST_LINES_MAX_BYTES = 8192;
const AT_ONCE = 8;

export function runErrands(
  context: Pick<AskContext, "workspaces"> & { readonly backend: Backend; readonly secrets?: UserSecrets },
  workflow: Workflow,
  { tracer, arrive, giveUp }: ErrandsOptions,
): RunErrands {
  const files: AskContext = { workspaces: context.workspaces, workspaceId: workflow.workspaceId };
  const waiting: (() => Promise<Arrival>)[] = [];
  const underWay = new Set<Promise<void>>();
  let isLetGo = false;

  function goOn(): void {
    while (!isLetGo && underWay.size < AT_ONCE) {
      const errand = waiting.shift();
      if (!errand) return;
      const run: Promise<void> = errand()
        .then(({ event, trace }) => arrive(event, trace), giveUp)
        .finally(() => {
          underWay.delete(run);
          goOn();
        });
      underWay.add(run);
    }
  }

  function add(errand: () => Promise<Arrival>): void {
    waiting.push(errand);
    goOn();
  }

  async function ended(job: Job, end: JobEnd): Promise<Arrival> {
    const id = jobIdOf(workflow.id, job.key, attemptOf(job));
    const lastLines = succeeded(end) ? [] : await lastLinesOf(context, workflow, id);
    const listing = job.outputFolder === undefined ? undefined : await maybeListing(files, job.outputFolder);
    const event: JobEnded = { ...endOf(job, end), lastLines, ...(listing && { listing }) };
    return { event, trace: job.isTraced && (await tracer.maybeTrace(end)) };
  }

  return {
    ask(asks) {
      for (const ask of asks) {
        add(async () => ({ event: await carryOutAsk(files, ask), trace: undefined }));
      }
    },
    tellEnd(job, end) {
      if (isLetGo) return;
      crashPoint("end-heard");
      const isPlain = succeeded(end) && job.outputFolder === undefined && !job.isTraced;
      if (isPlain) arrive({ ...endOf(job, end), lastLines: [] });
      else add(() => ended(job, end));
    },
    async settled() {
      waiting.length = 0;
      await Promise.all(underWay);
    },
    letGo() {
      isLetGo = true;
      waiting.length = 0;
    },
  };
}

function endOf({ key, attempt }: Job, end: JobEnd) {
  return { kind: "job-ended", key, ...(attempt !== undefined && { attempt }), end } as const;
}

/** Returns the last lines of a job's log, masked, because they are recorded. */
async function lastLinesOf(
  { backend, secrets }: { readonly backend: Backend; readonly secrets?: UserSecrets },
  { ownerId }: Workflow,
  id: string,
): Promise<string[]> {
  const mask = await secrets?.mask(ownerId);
  const length = LAST_LINES_MAX_BYTES + (mask?.reach ?? 0);
  const read = await backend.readLog(id, -length, length);
  const bytes = (mask?.apply(read, true) ?? read).subarray(-LAST_LINES_MAX_BYTES);
  const lines = bytes.toString("utf8").trimEnd().split("\n").slice(-LAST_LINES);
  return lines.length === 1 && lines[0] === "" ? [] : lines;
}
