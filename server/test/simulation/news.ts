import type { JobEnd } from "#workflow/job";
import type { Dice } from "./dice.ts";
import type { Life } from "./life.ts";
import type { Timeline } from "./timeline.ts";
import type { Weather } from "./weather.ts";

type Listener = (id: string, end: JobEnd) => void;

interface Watcher {
  readonly life: Life;
  readonly listener: Listener;
}

interface NewsOptions {
  readonly timeline: Timeline;
  readonly weather: Weather;
  readonly dice: Dice;
}

/** Delivers the ends of jobs to servers: in time or late and so in any order, twice, and for unknown jobs. */
export class News {
  readonly #watchers = new Set<Watcher>();
  readonly #options: NewsOptions;

  constructor(options: NewsOptions) {
    this.#options = options;
  }

  watch(life: Life, listener: Listener): () => void {
    const watcher = { life, listener };
    life.tell(() => this.#watchers.add(watcher));
    return () => {
      // Sometimes a watcher that has left still gets an end: the news was on its way.
      if (this.#options.weather.happens("end is told to a watcher that has left")) return;
      this.#watchers.delete(watcher);
    };
  }

  tell(id: string, end: JobEnd): void {
    for (const watcher of this.#watchers) this.#tellOne(watcher, id, end);
  }

  forgetAll(): void {
    this.#watchers.clear();
  }

  #tellOne(watcher: Watcher, id: string, end: JobEnd): void {
    const { weather, timeline, dice } = this.#options;
    if (watcher.life.isDead) return void this.#watchers.delete(watcher);
    const tell = (about: string) => () => watcher.life.tell(() => watcher.listener(about, end));
    const lateMs = weather.happens("end is told late") ? dice.magnitude(10, 60_000) : 0;
    timeline.after(lateMs, tell(id));
    if (weather.happens("end is told twice")) timeline.after(dice.magnitude(1, 60_000), tell(id));
    if (weather.happens("end of an unknown job is told")) timeline.after(0, tell(`${id}-of-another-service`));
  }
}
