import type { Caller } from "#operations/context";
import type { WatchServices } from "#operations/watch/services";
import { findRun } from "#operations/find-run";
import { maybeRunFailure } from "#operations/watch/failure";
import type { Subscription } from "#operations/watch/follow/shared-poller";
import { newsUpTo, type RunView } from "#operations/watch/progress/run-view";
import { newsOf, type NewsPlace, type RunNews, newsSince } from "#operations/watch/follow/run-news";
import { isOver } from "#workflow/run/run-status";

export type { RunNews };

export interface RunFollowed {
  readonly runId: string;
  /** Yields batches: events after the given place, live events, then the end. Throws if the signal aborts. */
  news(signal: AbortSignal): AsyncGenerator<readonly RunNews[]>;
}

type FollowContext = Pick<WatchServices, "db" | "clock" | "watching" | "workspaces">;

/** Time without news after which a `quiet` batch is sent. */
const QUIET_MS = 15_000;
const QUIET: readonly RunNews[] = [{ kind: "quiet" }];

/** Follows a run. `place` is where the history resumes for a client that has received a part before. */
export async function followRun(
  context: FollowContext,
  caller: Caller,
  address: string,
  place: NewsPlace,
): Promise<RunFollowed> {
  const { id } = await findRun(context, caller, address, "see");
  return { runId: id, news: (signal) => newsOfRun(context, id, place, signal) };
}

/**
 * Yields history from the recorded events, each once and in order. The state of the run is sent first, and whenever it
 * was seen to change. A slow reader misses states in between, but no history.
 */
async function* newsOfRun(
  context: FollowContext,
  runId: string,
  from: NewsPlace,
  signal: AbortSignal,
): AsyncGenerator<readonly RunNews[]> {
  const run = context.watching.runs.subscribe(runId);
  try {
    let place = from;
    let view = await run.next();
    let told = view;
    yield newsSince(undefined, view);
    for (;;) {
      while (place.seq <= view.lastSeq) {
        const events = await newsUpTo(context.db, view, place.seq);
        const pieces = events.flatMap((event) => newsOf(event, place));
        place = { seq: events.at(-1)!.seq + 1, part: 0 };
        yield pieces;
      }
      yield newsSince(told, view);
      told = view;
      if (isOver(view.run.status)) return yield [await ending(context, view)];
      let next = await maybeNext(context, run, view, signal);
      while (!next) {
        yield QUIET;
        next = await maybeNext(context, run, view, signal);
      }
      view = next;
    }
  } finally {
    run.unsubscribe();
  }
}

async function ending(context: FollowContext, { run }: RunView): Promise<RunNews> {
  return { kind: "end", run, failure: await maybeRunFailure(context, run) };
}

/** Returns the next view, or undefined if nothing new was seen for `QUIET_MS`. */
async function maybeNext(
  { clock }: FollowContext,
  run: Subscription<RunView>,
  view: RunView,
  signal: AbortSignal,
): Promise<RunView | undefined> {
  const over = new AbortController();
  let callOff: (() => void) | undefined;
  const quiet = new Promise<undefined>(
    (resolve) => (callOff = clock.after(QUIET_MS, () => resolve(undefined))),
  );
  try {
    return await Promise.race([run.after(view, AbortSignal.any([signal, over.signal])), quiet]);
  } finally {
    over.abort();
    callOff?.();
  }
}
