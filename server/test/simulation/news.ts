import type { JobListener, JobState } from "#backends/backend";
import type { Dice } from "./dice.ts";
import type { Life } from "./life.ts";
import type { Timeline } from "./timeline.ts";
import type { Weather } from "./weather.ts";

interface Watcher {
  readonly life: Life;
  readonly listener: JobListener;
}

interface NewsOptions {
  readonly timeline: Pick<Timeline, "after">;
  readonly weather: Pick<Weather, "happens">;
  readonly dice: Pick<Dice, "magnitude">;
}

/**
 * Delivers news of jobs to servers. Ends come in time or late and so in any order, twice, and for unknown jobs; other
 * news are sometimes lost.
 */
export class News {
  readonly #watchers = new Set<Watcher>();
  readonly #options: NewsOptions;
  /** Events that were held back while the cluster was unreachable. */
  readonly #held: { readonly id: string; readonly state: JobState }[] = [];
  #isHeld = false;

  constructor(options: NewsOptions) {
    this.#options = options;
  }

  watch(life: Life, listener: JobListener): () => void {
    const watcher = { life, listener };
    life.tell(() => this.#watchers.add(watcher));
    return () => {
      // A watcher that has left may still get an end, because the news was on the way.
      if (this.#options.weather.happens("end is told to a watcher that has left")) return;
      this.#watchers.delete(watcher);
    };
  }

  tell(id: string, state: JobState): void {
    if (this.#isHeld) return void this.#held.push({ id, state });
    for (const watcher of this.#watchers) this.#tellOne(watcher, id, state);
  }

  /** Holds all deliveries back until `release`. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    for (const { id, state } of this.#held.splice(0)) this.tell(id, state);
  }

  forgetAll(): void {
    this.#watchers.clear();
  }

  #tellOne(watcher: Watcher, id: string, state: JobState): void {
    const { weather, timeline, dice } = this.#options;
    if (watcher.life.isDead) return void this.#watchers.delete(watcher);
    const tell = (about: string) => () => watcher.life.tell(() => watcher.listener(about, state));
    if (state.status !== "ended") {
      if (!weather.happens("progress of a job is not told")) timeline.after(0, tell(id));
      return;
    }
    const lateMs = weather.happens("end is told late") ? dice.magnitude(10, 60_000) : 0;
    timeline.after(lateMs, tell(id));
    if (weather.happens("end is told twice")) timeline.after(dice.magnitude(1, 60_000), tell(id));
    if (weather.happens("end of an unknown job is told")) timeline.after(0, tell(`${id}-of-another-service`));
  }
}
