import { hashToken } from "#operations/token-shape";
import type { Clock } from "#plumbing/clock";
import type { Connection } from "#store/database";
import { openingTokens } from "#store/tokens";
import { ownersOfWorkflows, type Workflow } from "#store/workflows";

/** Who may see what was asked once, when the answer goes on and on. */
export interface Grant {
  readonly token: string;
  readonly workflowId: string;
  readonly maySee: (workflow: Pick<Workflow, "ownerId">) => boolean;
}

interface Held {
  readonly grant: Grant;
  readonly hash: string;
  readonly onLost: () => void;
}

/** How long somebody may go on reading whose token was revoked, who was disabled, or whose run it is no more. */
const LOOK_INTERVAL_MS = 1000;
/** Databases take so many values at once, and no more. */
const ASKED_AT_ONCE = 500;

/** Asks for all answers that go on whether they may: two queries at a time, however many there are. */
export class AccessWatch {
  readonly #db: Connection;
  readonly #clock: Clock;
  readonly #onTrouble: (error: unknown) => void;
  readonly #held = new Set<Held>();
  #callOff: (() => void) | undefined;

  constructor(db: Connection, clock: Clock, onTrouble: (error: unknown) => void) {
    this.#db = db;
    this.#clock = clock;
    this.#onTrouble = onTrouble;
  }

  /** Until what is answered is called; `onLost` when it must not go on. */
  hold(grant: Grant, onLost: () => void): () => void {
    const held = { grant, hash: hashToken(grant.token), onLost };
    this.#held.add(held);
    this.#callOff ??= this.#lookLater();
    return () => {
      this.#held.delete(held);
      if (this.#held.size > 0) return;
      this.#callOff?.();
      this.#callOff = undefined;
    };
  }

  #lookLater(): () => void {
    return this.#clock.after(LOOK_INTERVAL_MS, () => void this.#lookAndGoOn());
  }

  async #lookAndGoOn(): Promise<void> {
    await this.#look();
    this.#callOff = this.#held.size > 0 ? this.#lookLater() : undefined;
  }

  /** Of whom nobody can say that they may, they may not: they ask again. */
  async #look(): Promise<void> {
    const held = [...this.#held];
    try {
      for (let at = 0; at < held.length; at += ASKED_AT_ONCE) {
        for (const lost of await this.#lostOf(held.slice(at, at + ASKED_AT_ONCE))) lost.onLost();
      }
    } catch (error) {
      this.#onTrouble(error);
      for (const { onLost } of held) onLost();
    }
  }

  async #lostOf(held: readonly Held[]): Promise<Held[]> {
    const opening = await openingTokens(this.#db, [...new Set(held.map(({ hash }) => hash))]);
    const ids = [...new Set(held.map(({ grant }) => grant.workflowId))];
    const owners = await ownersOfWorkflows(this.#db, ids);
    return held.filter(({ hash, grant }) => {
      const workflow = owners.get(grant.workflowId);
      return !opening.has(hash) || !workflow || !grant.maySee(workflow);
    });
  }
}
