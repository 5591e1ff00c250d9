import type { Connection } from "#store/database/database";
import { type Lease, setWaitingFor } from "#store/hosts/leases";

/** The stored sentence about what a run waits for. Only the last of several sentences is sure to be written. */
export interface WaitingNote {
  /** Stores a sentence in the background. */
  say(sentence: string): void;
  /** Removes the sentence. Throws if one could not be stored. */
  clear(): Promise<void>;
}

export function createWaitingNote(
  db: Connection,
  run: { readonly runId: string; readonly lease: Lease },
): WaitingNote {
  let next: string | undefined;
  let writing: Promise<void> | undefined;

  async function write(): Promise<void> {
    while (next !== undefined) {
      const sentence = next;
      next = undefined;
      await setWaitingFor(db, run, sentence);
    }
  }

  return {
    say(sentence) {
      next = sentence;
      if (writing) return;
      writing = write().finally(() => (writing = undefined));
      // `clear` writes to the same row, and reports the error of a database that is gone.
      writing.catch(() => undefined);
    },
    async clear() {
      next = undefined;
      await writing;
      await setWaitingFor(db, run, null);
    },
  };
}
