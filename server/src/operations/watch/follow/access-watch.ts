import { readersWithAccess } from "#operations/permission";
import { hashToken } from "#operations/users/token-shape";
import type { Clock } from "#plumbing/clock";
import type { Connection } from "#store/database/database";
import { activeTokens } from "#store/users/tokens";
import { ownersOfRuns } from "#store/runs/runs";

/** Access of one open answer to a run. */
export interface Grant {
  readonly token: string;
  readonly runId: string;
  readonly callerId: string;
}

interface Held {
  readonly grant: Grant;
  readonly hash: string;
  readonly onLost: () => void;
}

/**
 * Interval between checks: the longest time a client can still read after its token was revoked, the user disabled, or
 * the share of the run ended.
 */
const LOOK_INTERVAL_MS = 1000;
/** Number of values in one query, limited by the databases. */
const ASKED_AT_ONCE = 500;

/** Checks whether all open answers may continue, with three queries for up to 500 answers. */
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

  /** Watches a grant until the returned function is called. Calls `onLost` when access has ended. */
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
    return this.#clock.after(LOOK_INTERVAL_MS, () => void this.#lookAndReschedule());
  }

  async #lookAndReschedule(): Promise<void> {
    await this.#look();
    this.#callOff = this.#held.size > 0 ? this.#lookLater() : undefined;
  }

  /** Closes the answer if access has ended or cannot be checked. The client reconnects. */
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
    const nowMs = this.#clock.now();
    const active = await activeTokens(this.#db, [...new Set(held.map(({ hash }) => hash))], nowMs);
    const owned = await ownersOfRuns(this.#db, [...new Set(held.map(({ grant }) => grant.runId))]);
    const readers = held.flatMap((one) => {
      const run = owned.get(one.grant.runId);
      return run && active.has(one.hash) ? [{ one, callerId: one.grant.callerId, run }] : [];
    });
    const seeing = await readersWithAccess(this.#db, readers, nowMs);
    const kept = new Set([...seeing].map(({ one }) => one));
    return held.filter((one) => !kept.has(one));
  }
}
