import type { CliHost } from "#cli/host";

/** How a line says at its beginning what came of something. */
export interface Marks {
  readonly good: string;
  readonly bad: string;
  readonly note: string;
  readonly warning: string;
  readonly stopped: string;
  /** Neither good nor bad yet. */
  readonly open: string;
}

const PLAIN: Marks = { good: "✓", bad: "✗", note: "-", warning: "!", stopped: "■", open: "·" };
/** Only the mark has a colour, so that the text is readable on every background. */
const COLOURED: Marks = { ...PLAIN, good: "\u001b[32m✓\u001b[39m", bad: "\u001b[31m✗\u001b[39m" };

/** Coloured on a terminal. NO_COLOR and FORCE_COLOR decide otherwise, and FORCE_COLOR wins. */
export function marksFor(environment: CliHost["environment"], isTerminal: boolean): Marks {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: term } = environment;
  if (force) return force === "0" ? PLAIN : COLOURED;
  return isTerminal && !no && term !== "dumb" ? COLOURED : PLAIN;
}

/** The mark of a run or a job in this status. */
export function markOf(status: string, marks: Marks): string {
  if (status === "finished") return marks.good;
  if (status === "failed") return marks.bad;
  return status === "stopped" ? marks.stopped : marks.open;
}
