import type { StopListening, WakeUp, WakeUpListener } from "#store/database/wake-ups";
import type { Dice } from "./dice.ts";
import type { Life } from "./life.ts";
import type { Timeline } from "./timeline.ts";
import type { Weather } from "./weather.ts";

interface Options {
  readonly timeline: Timeline;
  readonly weather: Weather;
  readonly dice: Dice;
}

/** Delivers wake-ups between servers that share a database: soon, late, or not at all. */
export class SharedWakeUps {
  readonly #listeners = new Map<WakeUpListener, Life>();
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  listen(life: Life, listener: WakeUpListener): StopListening {
    this.#listeners.set(listener, life);
    return async () => void this.#listeners.delete(listener);
  }

  tell(wakeUp: WakeUp): void {
    // No client watches runs in a simulated world.
    if (wakeUp.kind === "run-changed") return;
    const { timeline, weather, dice } = this.#options;
    for (const [listener, life] of this.#listeners) {
      if (life.isDead) this.#listeners.delete(listener);
      else if (weather.happens("wake-up is lost")) {
        timeline.after(dice.magnitude(100, 30_000), () => life.tell(() => listener.afterGap()));
      } else {
        const lateMs = weather.happens("wake-up is late") ? dice.magnitude(10, 30_000) : 0;
        timeline.after(lateMs, () => life.tell(() => listener.hear(wakeUp)));
      }
    }
  }
}
