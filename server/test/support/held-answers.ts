import type { Connection } from "#store/database";

/** A database whose answers can be held back: what was asked is done, and who asked does not know yet. */
export interface HeldAnswers {
  readonly db: Connection;
  /** From now on, and counts anew. */
  hold(): void;
  letGo(): void;
  /** How often it was asked, and has answered. */
  asked(): number;
  answered(): number;
}

/** Holds and counts only those answers whose rows it is about. */
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
