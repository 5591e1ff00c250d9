import type { JobOutput } from "#cli/run/display/job-output";
import { type JobView, type RunView, type RunService } from "#cli/run/service/run-service";
import type { Clock } from "#plumbing/clock";
import { isOver } from "#workflow/run/run-status";

/** An event in a run, for a person or a program. */
export type RunEvent =
  | { readonly kind: "waiting"; readonly why: string }
  | { readonly kind: "job-started"; readonly job: JobView }
  | { readonly kind: "job-ended"; readonly job: JobView };

export interface FollowOptions {
  readonly service: Pick<RunService, "view" | "onChange">;
  readonly clock: Clock;
  /** Aborted when the caller no longer follows the run. */
  readonly left: AbortSignal;
  /** Called with the events since the last look, in order, and the current state. */
  onEvents(events: readonly RunEvent[], view: RunView): void;
  /** Reads the output of the jobs, if it is to be shown. A job's output is printed before its end. */
  readonly output?: JobOutput | undefined;
}

const POLL_FIRST_MS = 20;
const POLL_MAX_MS = 500;
/** A wait shorter than this is not reported: the run is about to start. */
const WAITING_SHOWN_AFTER_MS = 1000;
/**
 * The pause after a poll is at least 10 times its duration, because polling a run of very many jobs must not
 * keep the machine busy.
 */
const IDLE_FACTOR = 10;
/** Limit for that rule, since a look may also take long because the server is away. */
const PAUSE_MAX_MS = 3000;

/**
 * Looks at a run until it has ended: when a change is announced, and otherwise soon again after an event, then less and
 * less often.
 */
export async function follow(options: FollowOptions, runId: string): Promise<RunView> {
  const { service, clock } = options;
  const pauses = interruptiblePauses(clock);
  const stopListening = service.onChange?.(runId, () => pauses.interrupt());
  try {
    return await lookUntilOver(options, runId, pauses);
  } finally {
    await stopListening?.();
  }
}

async function lookUntilOver(
  { service, clock, left, onEvents, output }: FollowOptions,
  runId: string,
  pauses: Pauses,
): Promise<RunView> {
  const seen = createSeenJobs();
  for (let waitMs = POLL_FIRST_MS; ; waitMs = Math.min(waitMs * 1.3, POLL_MAX_MS)) {
    const beganAtMs = clock.elapsedMs();
    const view = await service.view(runId);
    left.throwIfAborted();
    const events = [...seen.compare(view, clock.elapsedMs())];
    if (events.length > 0) waitMs = POLL_FIRST_MS;
    if (output === undefined) onEvents(events, view);
    else await reportWithOutput(output, { events, view, onEvents });
    if (isOver(view.status)) return view;
    const leastMs = Math.min(IDLE_FACTOR * (clock.elapsedMs() - beganAtMs), PAUSE_MAX_MS);
    await pauses.pause(leastMs, Math.max(waitMs - leastMs, 0));
  }
}

interface Pauses {
  /** Waits for `leastMs`, and then for an interruption since the last pause, but for at most `moreMs`. */
  pause(leastMs: number, moreMs: number): Promise<void>;
  interrupt(): void;
}

function interruptiblePauses(clock: Clock): Pauses {
  let isInterrupted = false;
  let endPause: (() => void) | undefined;
  return {
    async pause(leastMs, moreMs) {
      await new Promise<void>((resolve) => void clock.after(leastMs, resolve));
      if (!isInterrupted) {
        await new Promise<void>((resolve) => {
          const cancel = clock.after(moreMs, resolve);
          endPause = () => {
            cancel();
            resolve();
          };
        });
      }
      endPause = undefined;
      isInterrupted = false;
    },
    interrupt() {
      isInterrupted = true;
      endPause?.();
    },
  };
}

/** Reports the events, with a job's output between its start and its end. */
async function reportWithOutput(
  output: JobOutput,
  {
    events,
    view,
    onEvents,
  }: Pick<FollowOptions, "onEvents"> & { events: readonly RunEvent[]; view: RunView },
): Promise<void> {
  for (const event of events) {
    if (event.kind === "job-ended") await output.read(event.job);
    onEvents([event], view);
  }
  for (const job of view.jobs) if (job.status === "running") await output.read(job);
  onEvents([], view);
}

/** Remembers which jobs have been reported as started and as ended, and the current reason for waiting. */
function createSeenJobs() {
  const started = new Set<string>();
  const ended = new Set<string>();
  let waiting: { readonly why: string; readonly sinceMs: number; isShown: boolean } | undefined;
  return {
    *compare(view: RunView, nowMs: number): Generator<RunEvent> {
      for (const job of view.jobs) {
        if (ended.has(job.id) || job.status === "created") continue;
        if (!started.has(job.id) && job.reason !== "not-started") yield { kind: "job-started", job };
        started.add(job.id);
        if (job.status === "running") continue;
        ended.add(job.id);
        yield { kind: "job-ended", job };
      }
      const why = view.waitingFor;
      if (why === undefined) waiting = undefined;
      else if (waiting?.why !== why) waiting = { why, sinceMs: nowMs, isShown: false };
      else if (!waiting.isShown && nowMs - waiting.sinceMs >= WAITING_SHOWN_AFTER_MS) {
        waiting.isShown = true;
        yield { kind: "waiting", why };
      }
    },
  };
}
