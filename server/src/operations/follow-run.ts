import type { Caller, Operations } from "#operations/context";
import { findWorkflow } from "#operations/find-workflow";
import { maybeRunFailure } from "#operations/run-failure";
import type { View } from "#operations/watching/lookout";
import { newsUpTo, type RunView } from "#operations/watching/run-view";
import { newsOf, type NewsPlace, type RunNews, standingNews } from "#operations/watching/run-news";
import { isLive } from "#workflow/run-status";

export type { RunNews };

export interface RunFollowed {
  readonly workflowId: string;
  /** What happened after that place, what happens, and last how the run ended; batches. Throws by the signal. */
  news(signal: AbortSignal): AsyncGenerator<readonly RunNews[]>;
}

type Context = Pick<Operations, "db" | "clock" | "watching">;

/** How long nothing is said before it is said that nothing was. */
const QUIET_MS = 15_000;
const QUIET: readonly RunNews[] = [{ kind: "quiet" }];

/** What happens in a run, as it happens. `place`: where the history goes on for who has heard some of it. */
export async function followRun(
  context: Context,
  caller: Caller,
  address: string,
  place: NewsPlace,
): Promise<RunFollowed> {
  const { id } = await findWorkflow(context.db, caller, address, "see");
  return { workflowId: id, news: (signal) => newsOfRun(context, id, place, signal) };
}

/**
 * History is told from the recorded events, each of them once, in order. How the run stands is told as it is seen: first
 * of all, and whenever it has changed; who reads slowly misses what was so in between, and nothing of the history.
 */
async function* newsOfRun(
  context: Context,
  workflowId: string,
  from: NewsPlace,
  signal: AbortSignal,
): AsyncGenerator<readonly RunNews[]> {
  const run = context.watching.runs.join(workflowId);
  try {
    let place = from;
    let view = await run.fresh();
    let told = view;
    yield standingNews(undefined, view);
    for (;;) {
      while (place.seq <= view.lastSeq) {
        const events = await newsUpTo(context.db, view, place.seq);
        const pieces = events.flatMap((event) => newsOf(event, place));
        place = { seq: events.at(-1)!.seq + 1, part: 0 };
        yield pieces;
      }
      yield standingNews(told, view);
      told = view;
      if (isOver(view)) return yield [await ending(context, view)];
      let next = await maybeNext(context, run, view, signal);
      while (!next) {
        yield QUIET;
        next = await maybeNext(context, run, view, signal);
      }
      view = next;
    }
  } finally {
    run.leave();
  }
}

function isOver({ workflow: { status } }: RunView): boolean {
  return status !== "created" && !isLive(status);
}

async function ending({ db }: Context, { workflow }: RunView): Promise<RunNews> {
  return { kind: "end", workflow, failure: await maybeRunFailure(db, workflow) };
}

/** Nothing when nothing new was seen for a while. */
async function maybeNext(
  { clock }: Context,
  run: View<RunView>,
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
