/**
 * Returns the words of a command that needs nothing from a shell, such as `python code/fit.py --out "my file"`, else
 * undefined. bash would just become the program, so the program is run directly: starting bash is the greater part of
 * the cost of starting a job. GNU make does the same. Anything in doubt is left to bash.
 */
export function plainWords(script: string): readonly string[] | undefined {
  const text = script.trim();
  if (text.length > CHARACTERS_MAX || !COMMAND.test(text)) return undefined;
  const words = [...text.matchAll(WORD)].map(([word]) => word.replaceAll(PIECE, unquoted));
  return words[0] === undefined || !PROGRAM.test(words[0]) || KEYWORDS.has(words[0]) ? undefined : words;
}

/** Plain commands are never longer in practice. */
const CHARACTERS_MAX = 4000;

/**
 * Text that means itself: a bare character, or anything within quotes. No text matches in two ways, so matching is
 * never slow.
 */
const PIECES = String.raw`[A-Za-z0-9_./,:@%+=-]|"[^$\`\\"]*"|'[^']*'`;
const PIECE = new RegExp(PIECES, "g");
const WORD = new RegExp(`(?:${PIECES})+`, "g");
const COMMAND = new RegExp(`^(?:${PIECES})+(?:[ \\t]+(?:${PIECES})+)*$`);

/** The first word is neither an assignment nor a job (`%1`) nor an option. */
const PROGRAM = /^[A-Za-z0-9_./][A-Za-z0-9_./+-]*$/;

const KEYWORDS: ReadonlySet<string> = new Set(
  "if then elif else fi time for in until while do done case esac coproc select function".split(" "),
);

function unquoted(piece: string): string {
  return /^["']/.test(piece) ? piece.slice(1, -1) : piece;
}
