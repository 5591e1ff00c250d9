import type { CliContext } from "#cli/context";

/** Marks at the start of a line that show an outcome. */
export interface Marks {
  readonly good: string;
  readonly bad: string;
  readonly note: string;
  readonly warning: string;
  readonly stopped: string;
  /** Undecided so far. */
  readonly open: string;
}

const PLAIN: Marks = { good: "✓", bad: "✗", note: "-", warning: "!", stopped: "■", open: "·" };
/** The mark alone is coloured, because the text must be readable on every background. */
const COLOURED: Marks = { ...PLAIN, good: "\u001b[32m✓\u001b[39m", bad: "\u001b[31m✗\u001b[39m" };

/** Returns coloured marks on a terminal. NO_COLOR and FORCE_COLOR override this, and FORCE_COLOR wins. */
export function marksFor(environment: CliContext["environment"], isTerminal: boolean): Marks {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: term } = environment;
  if (force) return force === "0" ? PLAIN : COLOURED;
  return isTerminal && !no && term !== "dumb" ? COLOURED : PLAIN;
}

/** Returns the mark for a run or job in this status. */
export function markOf(status: string, marks: Marks): string {
  if (status === "finished") return marks.good;
  if (status === "failed" || status === "not started") return marks.bad;
  return status === "stopped" ? marks.stopped : marks.open;
}
