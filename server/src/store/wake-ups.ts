import type { DialectAdapter } from "kysely";
import type { Connection } from "#store/connection";

/**
 * What one who has written something tells all who wait for it, on this server and on others that share the database.
 * It only says where to look: the database holds what is so, and whoever hears nothing looks now and then.
 */
export type WakeUp =
  | { readonly kind: "run-queued" }
  | { readonly kind: "stop-requested"; readonly workflowId: string }
  /** Something is new in its history, its status, or its jobs: for who watches it. */
  | { readonly kind: "run-changed"; readonly workflowId: string };

export interface WakeUpListener {
  hear(wakeUp: WakeUp): void;
  /** Nobody could be heard for a while, and now again: anything may have been said meanwhile. */
  afterGap(): void;
}

export type StopListening = () => Promise<void>;

/** What a dialect brings for it: LISTEN and NOTIFY, or an emitter where all who wait are in this process. */
export interface WakeUps {
  notify(db: Connection, wakeUp: WakeUp): Promise<void>;
  listen(listener: WakeUpListener): StopListening;
}

/** What a dialect's adapter carries besides. */
export interface SaysWakeUps extends DialectAdapter {
  readonly wakeUps: WakeUps;
}

/** Inside a transaction it is said when that has been committed, and never if it is not. */
export function notify(db: Connection, wakeUp: WakeUp): Promise<void> {
  return wakeUpsOf(db).notify(db, wakeUp);
}

/** From now on, whoever says it. Stop before the database is closed. */
export function listen(db: Connection, listener: WakeUpListener): StopListening {
  return wakeUpsOf(db).listen(listener);
}

function wakeUpsOf(db: Connection): WakeUps {
  return (db.getExecutor().adapter as SaysWakeUps).wakeUps;
}
