import type { Clock } from "#plumbing/clock";
import type { Timeline } from "./timeline.ts";

/** A server's action on the world outside. A crash or a pause may strike before and after each one. */
export type Deed = "query" | "commit" | "cluster" | "file";

/** Decides whether a crash or a pause strikes at this point. */
export type Peril = (life: Life, deed: Deed, isDone: boolean) => void;

const EPOCH_MS = Date.parse("2026-11-21T10:00:00Z");

/**
 * A process of a server, from start to end. All contact with the world passes through here: once the process
 * is dead, its promises do not settle and its timers do not fire, so it can no longer touch the world. A
 * pause (a stopped process, a suspended machine) holds all events back and delivers them later: the server
 * does not know how much time has passed.
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

  /** Time since the start or the last pause; 0 unless the server is running. */
  get awakeMs(): number {
    return this.isRunning ? this.#timeline.nowMs - this.#runningSinceMs : 0;
  }

  get isDead(): boolean {
    return this.#state === "dead";
  }

  /** Delivers an event to the server: a timer, news of the cluster. */
  tell(callback: () => void): void {
    if (this.#state === "paused") this.#held.push(callback);
    else if (this.#state === "running") callback();
  }

  /** Performs an action of the server. */
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

  /** Calls back at each death, pause and resumption, so the database can release the transaction. */
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

export function timeOfDay(timeline: Pick<Timeline, "nowMs">): number {
  return EPOCH_MS + Math.floor(timeline.nowMs);
}
