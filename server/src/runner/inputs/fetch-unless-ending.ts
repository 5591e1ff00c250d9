import { Refusal } from "#plumbing/errors";
import {
  type FetchInputsContext,
  type FetchInputsRequest,
  maybeFetchInputs,
} from "#runner/inputs/fetch-inputs";
import { createWaitingNote } from "#runner/jobs/waiting-note";
import type { Inbox } from "#runner/turn/arrivals";
import type { RecordedEvent } from "#runner/turn/record";
import type { Lease } from "#store/hosts/leases";
import type { Run } from "#store/runs/runs";

interface Fetching extends Pick<FetchInputsRequest, "inputs" | "assertLease"> {
  readonly lease: Lease;
  readonly inbox: Pick<Inbox, "unlessEnding">;
}

/**
 * Fetches the inputs of a run, and keeps a sentence about the progress in the run's row. Returns the refusal that fails
 * the run. An arrival that ends the run breaks the fetch off; nothing is fetched any more when `Interrupted` is thrown.
 */
export async function fetchUnlessEnding(
  context: FetchInputsContext,
  run: Run,
  { inbox, lease, ...request }: Fetching,
): Promise<RecordedEvent | Refusal | undefined> {
  const fetching = new AbortController();
  const note = createWaitingNote(context.db, { runId: run.id, lease });
  const work = maybeFetchInputs(context, run, {
    ...request,
    onWaiting: (sentence) => note.say(sentence),
    signal: fetching.signal,
  });
  try {
    const fetched = await inbox.unlessEnding(work);
    await note.clear();
    return fetched;
  } catch (error) {
    fetching.abort();
    await work.catch(() => undefined);
    if (error instanceof Refusal) return error;
    throw error;
  }
}
