import type { Clock } from "#plumbing/clock";
import type { Timeline } from "./timeline.ts";

/** What a server does to the world outside of itself: before and after each of them it may come to harm. */
export type Deed = "query" | "commit" | "cluster" | "file";

/** Harms the life, or does not. */
export type Peril = (life: Life, deed: Deed, isDone: boolean) => void;

const EPOCH_MS = Date.parse("2026-11-21T10:00:00Z");

/**
 * One process of a server, from its start to its end. All that it hears of the world comes through here: when it is
 * dead no promise of its settles any more and no timer fires, so nothing of it can touch the world again. A pause
 * (a stopped process, a suspended machine) holds all of that back and lets it go on later: the server does not know
 * how much time has passed.
 */
export class Life {
  readonly name: string;
  readonly clock: Clock;
  readonly #timeline: Timeline;
  readonly #peril: Peril;
  readonly #held: (() => void)[] = [];
  readonly #onChange: (() => void)[] = [];
  #runningSinceMs: number;
  #state: "running" | "paused" | "dead" = "running";

  constructor(name: string, timeline: Timeline, peril: Peril, skewMs: () => number) {
    this.name = name;
    this.#timeline = timeline;
    this.#peril = peril;
    this.#runningSinceMs = timeline.nowMs;
    this.clock = {
      now: () => EPOCH_MS + Math.floor(timeline.nowMs) + skewMs(),
      elapsedMs: () => timeline.nowMs,
      after: (ms, callback) => timeline.after(ms, () => this.tell(callback)),
    };
  }

  get isRunning(): boolean {
    return this.#state === "running";
  }

  /** How long it has been neither dead nor asleep. */
  get awakeMs(): number {
    return this.isRunning ? this.#timeline.nowMs - this.#runningSinceMs : 0;
  }

  get isDead(): boolean {
    return this.#state === "dead";
  }

  /** Something that happens to the server: a timer, news of the cluster. */
  tell(callback: () => void): void {
    if (this.#state === "paused") this.#held.push(callback);
    else if (this.#state === "running") callback();
  }

  /** Something that the server does. */
  act<Result>(deed: Deed, work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.tell(() => {
        this.#peril(this, deed, false);
        this.tell(() => {
          work().then(
            (result) => this.#answer(deed, () => resolve(result)),
            (error: unknown) => this.#answer(deed, () => reject(error)),
          );
        });
      });
    });
  }

  #answer(deed: Deed, settle: () => void): void {
    if (this.#state === "running") this.#peril(this, deed, true);
    this.tell(settle);
  }

  /** Called when it dies, is paused or goes on: the database lets go of its transaction. */
  onChange(callback: () => void): void {
    this.#onChange.push(callback);
  }

  end(): void {
    this.#state = "dead";
    this.#held.length = 0;
    for (const callback of this.#onChange) callback();
  }

  pause(ms: number): void {
    if (this.#state !== "running") return;
    this.#state = "paused";
    for (const callback of this.#onChange) callback();
    this.#timeline.after(ms, () => this.#goOn());
  }

  #goOn(): void {
    if (this.#state !== "paused") return;
    this.#state = "running";
    this.#runningSinceMs = this.#timeline.nowMs;
    for (const callback of this.#onChange) callback();
    for (const callback of this.#held.splice(0)) this.tell(callback);
  }
}

export function timeOfDay(timeline: Timeline): number {
  return EPOCH_MS + Math.floor(timeline.nowMs);
}
