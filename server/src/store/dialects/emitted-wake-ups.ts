import type { Connection } from "#store/database/connection";
import type { StopListening, WakeUp, WakeUpListener, WakeUps } from "#store/database/wake-ups";

/**
 * Wake-ups for a database used by one process through a single connection: at most one commit is prepared at
 * a time.
 */
export class EmittedWakeUps implements WakeUps {
  readonly #listeners = new Set<WakeUpListener>();
  /** Wake-ups of the open transaction and of transactions awaiting the same commit. */
  #said: WakeUp[] = [];

  /** Number of wake-ups that wait for the next commit. */
  get waiting(): number {
    return this.#said.length;
  }

  async notify(db: Connection, wakeUp: WakeUp): Promise<void> {
    if (db.isTransaction) this.#said.push(wakeUp);
    else this.#tell(wakeUp);
  }

  listen(listener: WakeUpListener): StopListening {
    this.#listeners.add(listener);
    return async () => void this.#listeners.delete(listener);
  }

  committed(): void {
    const said = this.#said;
    this.#said = [];
    for (const wakeUp of said) this.#tell(wakeUp);
  }

  rolledBack(): void {
    this.#said = [];
  }

  /** Forgets the wake-ups of a transaction that was rolled back alone: all but the first `count`. */
  forgetAfter(count: number): void {
    this.#said.length = count;
  }

  /**
   * Calls the listeners in a later turn of the event loop, so errors of listeners cannot affect the commit.
   */
  #tell(wakeUp: WakeUp): void {
    setImmediate(() => this.#listeners.forEach((one) => one.hear(wakeUp)));
  }
}
