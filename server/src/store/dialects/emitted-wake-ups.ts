import type { Connection } from "#store/database/connection";
import type { StopListening, WakeUp, WakeUpListener, WakeUps } from "#store/database/wake-ups";

/** Wake-ups for a database that one process uses through one connection: at most one commit is prepared at a time. */
export class EmittedWakeUps implements WakeUps {
  readonly #listeners = new Set<WakeUpListener>();
  /** The wake-ups of the open transaction, and of those that will be committed with it. */
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

  /** Calls the listeners in a later turn of the event loop, so that their errors cannot affect the commit. */
  #tell(wakeUp: WakeUp): void {
    setImmediate(() => this.#listeners.forEach((one) => one.hear(wakeUp)));
  }
}
