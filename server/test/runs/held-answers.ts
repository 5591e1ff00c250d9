import type { Connection } from "#store/database/database";

/** A database whose answers can be held back: the statement is carried out, but its caller does not know yet. */
export interface HeldAnswers {
  readonly db: Connection;
  /** Holds back answers from now on, and resets the counts. */
  hold(): void;
  letGo(): void;
  /** Number of issued statements that match; `answered` counts delivered answers. */
  asked(): number;
  answered(): number;
}

/** Holds and counts only the answers whose rows match. */
export function heldAnswers(
  db: Connection,
  isAbout: (rows: readonly object[]) => boolean = () => true,
): HeldAnswers {
  let gate = Promise.withResolvers<void>();
  let asked = 0;
  let answered = 0;
  gate.resolve();
  const held = db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (!isAbout(result.rows)) return result;
      asked += 1;
      await gate.promise;
      answered += 1;
      return result;
    },
  });
  return {
    db: held,
    hold() {
      [asked, answered] = [0, 0];
      gate = Promise.withResolvers<void>();
    },
    letGo: () => gate.resolve(),
    asked: () => asked,
    answered: () => answered,
  };
}
