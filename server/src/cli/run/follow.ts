import type { JobOutput } from "#cli/run/job-output";
import { isOver, type JobLook, type RunLook, type RunService } from "#cli/run/run-service";
import type { Clock } from "#plumbing/clock";

/** What happens in a run, as it is told to a person or a program. */
export type Happening =
  | { readonly kind: "waiting"; readonly why: string }
  | { readonly kind: "job-started"; readonly job: JobLook }
  | { readonly kind: "job-ended"; readonly job: JobLook };

export interface Following {
  readonly service: Pick<RunService, "look">;
  readonly clock: Clock;
  /** Aborted when nobody wants to know any more. */
  readonly left: AbortSignal;
  /** What happened since the last look, in order, and how all stands now. */
  tell(happenings: readonly Happening[], look: RunLook): void;
  /** Reads what the jobs have printed, where somebody wants to see it: a job's output stands before its end. */
  readonly output?: JobOutput | undefined;
}

const LOOK_FIRST_MS = 20;
const LOOK_MAX_MS = 500;
/** A run that is about to have its turn is not said to wait for it. */
const WAITING_TOLD_AFTER_MS = 1000;
/** A look at a run of very many jobs takes a while: it is not to be what keeps the machine busy. */
const LOOKS_PART = 10;
/** But one that took long because a server was away is no reason to wait still longer. */
const PAUSE_MAX_MS = 3000;

/** Looks at a run until it is over; soon again after something happened, then less and less often. */
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

/** A job's output stands between its start and its end. */
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

/** Of the jobs only those that are under way need to be remembered, and which have been told. */
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
