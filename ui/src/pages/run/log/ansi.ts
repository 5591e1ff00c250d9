/** A piece of a line with a uniform style. */
export interface Piece {
  readonly text: string;
  readonly className: string;
}

const COLORS = [
  "text-muted",
  "text-bad",
  "text-good",
  "text-wait",
  "text-live",
  "text-accent",
  "text-live",
  "text-ink",
];
// Colours (ending with m), any other control sequence, and titles of a terminal.
// eslint-disable-next-line no-control-regex
const SEQUENCE = /\u001b(?:\[([0-9;]*)m|\[[0-9;?]*[A-Za-ln-z]|\][^\u0007]*(?:\u0007|$))/g;
// eslint-disable-next-line no-control-regex
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** Splits a line of terminal output into styled pieces. The text is never treated as markup. */
export function piecesOf(line: string): readonly Piece[] {
  // A progress bar prints over itself: the last version is what a terminal shows.
  const shown = line.slice(line.lastIndexOf("\r") + 1);
  if (!shown.includes("\u001b")) return [{ text: shown.replace(INVISIBLE, "�"), className: "" }];
  const pieces: Piece[] = [];
  let [end, className] = [0, ""];
  const add = (until: number) => {
    const text = shown.slice(end, until).replace(INVISIBLE, "�");
    if (text !== "") pieces.push({ text, className });
  };
  for (const sequence of shown.matchAll(SEQUENCE)) {
    add(sequence.index);
    end = sequence.index + sequence[0].length;
    if (sequence[1] !== undefined) className = lookAfter(className, sequence[1]);
  }
  add(shown.length);
  return pieces;
}

function lookAfter(before: string, codes: string): string {
  let look = before;
  for (const code of codes.split(";").map(Number)) {
    if (code === 0) look = "";
    else if (code === 1) look += " font-semibold";
    else if (code >= 30 && code <= 37) look = `${withoutColor(look)} ${COLORS[code - 30]}`;
    else if (code >= 90 && code <= 97) look = `${withoutColor(look)} ${COLORS[code - 90]}`;
    else if (code === 39) look = withoutColor(look);
  }
  return look.trim();
}

function withoutColor(look: string): string {
  return look.replace(/\btext-\w+/g, "").trim();
}
