import { type PublishAtEndContext, publishRun } from "#runner/outputs/publish-at-end";
import type { Publication } from "#runner/outputs/publish-outputs";
import type { Run } from "#store/runs/runs";
import type { Results } from "#workflow/run/results";
import type { OutputDestination } from "#workflow/specification/output-destination";

interface Late {
  readonly done: Promise<Publication>;
  /** Returns a sentence about the progress, and the number of files that are at the destination. */
  progress(): { readonly sentence: string; readonly count: number };
}

/** Publications of ended runs. Concurrent requests for a run share a publication. */
export class LatePublications {
  readonly #context: PublishAtEndContext;
  readonly #going = new Map<string, Late>();
  readonly #closing = new AbortController();

  constructor(context: PublishAtEndContext) {
    this.#context = context;
  }

  /** Begins to publish, or joins the publication of the run that is in progress. Calls `record` at the end. */
  join(
    run: Run,
    what: { readonly destination: OutputDestination; readonly results: Results },
    record: (publication: Publication) => Promise<void>,
  ): Late {
    const going = this.#going.get(run.id);
    if (going) return going;
    let sentence = "The outputs are being published.";
    let count = 0;
    const onWaiting = (said: string) => void (sentence = said);
    const publish = async () => {
      const publication = await publishRun(this.#context, run, {
        ...what,
        onWaiting,
        onPublished: (now) => void (count = now),
        signal: this.#closing.signal,
      });
      await record(publication);
      return publication;
    };
    const done = publish().finally(() => this.#going.delete(run.id));
    // The request that began it may have left with the present state.
    done.catch(() => undefined);
    const late: Late = { done, progress: () => ({ sentence, count }) };
    this.#going.set(run.id, late);
    return late;
  }

  /** Breaks the publications off. A later request does the rest. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled([...this.#going.values()].map(({ done }) => done));
  }
}
