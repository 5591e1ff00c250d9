import type { JobOutput } from "#cli/run/display/job-output";
import { isOver, type JobLook, type RunLook, type RunService } from "#cli/run/service/run-service";
import type { Clock } from "#plumbing/clock";

/** An event in a run, for a person or a program. */
export type Happening =
  | { readonly kind: "waiting"; readonly why: string }
  | { readonly kind: "job-started"; readonly job: JobLook }
  | { readonly kind: "job-ended"; readonly job: JobLook };

export interface Following {
  readonly service: Pick<RunService, "look">;
  readonly clock: Clock;
  /** Aborted when the caller no longer follows the run. */
  readonly left: AbortSignal;
  /** Called with the events since the last look, in order, and the current state. */
  tell(happenings: readonly Happening[], look: RunLook): void;
  /** Reads the output of the jobs, if it is to be shown. A job's output is printed before its end. */
  readonly output?: JobOutput | undefined;
}

const LOOK_FIRST_MS = 20;
const LOOK_MAX_MS = 500;
/** A wait shorter than this is not reported: the run is about to start. */
const WAITING_TOLD_AFTER_MS = 1000;
/**
 * The pause after a look is at least 10 times its duration, so that a run of very many jobs does not keep the machine
 * busy.
 */
const LOOKS_PART = 10;
/** Limit for that rule, since a look may also take long because the server is away. */
const PAUSE_MAX_MS = 3000;

/** Polls a run until it has ended: soon again after an event, then less and less often. */
export async function follow(
  { service, clock, left, tell, output }: Following,
  runId: string,
): Promise<RunLook> {
  const seen = newSeen();
  for (let waitMs = LOOK_FIRST_MS; ; waitMs = Math.min(waitMs * 1.3, LOOK_MAX_MS)) {
    const beganAtMs = clock.elapsedMs();
    const look = await service.look(runId);
    left.throwIfAborted();
    const happenings = [...seen.compare(look, clock.elapsedMs())];
    if (happenings.length > 0) waitMs = LOOK_FIRST_MS;
    if (output === undefined) tell(happenings, look);
    else await tellWithOutput(output, { happenings, look, tell });
    if (isOver(look.status)) return look;
    const forLookMs = LOOKS_PART * (clock.elapsedMs() - beganAtMs);
    const pauseMs = Math.max(waitMs, Math.min(forLookMs, PAUSE_MAX_MS));
    await new Promise<void>((resolve) => void clock.after(pauseMs, resolve));
  }
}

/** Reports the events, with a job's output between its start and its end. */
async function tellWithOutput(
  output: JobOutput,
  { happenings, look, tell }: Pick<Following, "tell"> & { happenings: readonly Happening[]; look: RunLook },
): Promise<void> {
  for (const happening of happenings) {
    if (happening.kind === "job-ended") await output.read(happening.job);
    tell([happening], look);
  }
  for (const job of look.jobs) if (job.status === "running") await output.read(job);
  tell([], look);
}

/** Remembers which jobs have been reported as started and as ended, and the current reason for waiting. */
function newSeen() {
  const started = new Set<string>();
  const ended = new Set<string>();
  let waiting: { readonly why: string; readonly sinceMs: number; isTold: boolean } | undefined;
  return {
    *compare(look: RunLook, nowMs: number): Generator<Happening> {
      for (const job of look.jobs) {
        if (ended.has(job.id) || job.status === "created") continue;
        if (!started.has(job.id)) yield { kind: "job-started", job };
        started.add(job.id);
        if (job.status === "running") continue;
        ended.add(job.id);
        yield { kind: "job-ended", job };
      }
      const why = look.waitingFor;
      if (why === undefined) waiting = undefined;
      else if (waiting?.why !== why) waiting = { why, sinceMs: nowMs, isTold: false };
      else if (!waiting.isTold && nowMs - waiting.sinceMs >= WAITING_TOLD_AFTER_MS) {
        waiting.isTold = true;
        yield { kind: "waiting", why };
      }
    },
  };
}
