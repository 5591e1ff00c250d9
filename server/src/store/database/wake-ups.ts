import type { DialectAdapter } from "kysely";
import type { Connection } from "#store/database/connection";
import { adapterIn } from "#store/database/kysely-hooks";

/**
 * A message to all waiting parties, on this server and on others that share the database. It only says where to look:
 * the database holds the facts, and a listener that misses a message polls from time to time.
 */
export type WakeUp =
  | { readonly kind: "run-queued" }
  | { readonly kind: "stop-requested"; readonly runId: string }
  /** The run's history, status or jobs have changed: for its watchers. */
  | { readonly kind: "run-changed"; readonly runId: string };

export interface WakeUpListener {
  hear(wakeUp: WakeUp): void;
  /** Called after a connection gap: any number of messages may have been missed. */
  afterGap(): void;
}

export type StopListening = () => Promise<void>;

/** A dialect's implementation: LISTEN and NOTIFY, or an emitter if all listeners are in this process. */
export interface WakeUps {
  notify(db: Connection, wakeUp: WakeUp): Promise<void>;
  listen(listener: WakeUpListener): StopListening;
}

/** Part of a dialect's adapter. */
export interface WakeUpAdapter extends DialectAdapter {
  readonly wakeUps: WakeUps;
}

/** Sends a wake-up. In a transaction, it is sent at commit, and never after a rollback. */
export function notify(db: Connection, wakeUp: WakeUp): Promise<void> {
  return wakeUpsOf(db).notify(db, wakeUp);
}

/** Starts listening to all senders. Stop before the database is closed. */
export function listen(db: Connection, listener: WakeUpListener): StopListening {
  return wakeUpsOf(db).listen(listener);
}

function wakeUpsOf(db: Connection): WakeUps {
  return (adapterIn(db) as WakeUpAdapter).wakeUps;
}
