/**
 * Returns the words of a command that needs nothing from a shell, such as `python code/fit.py --out "my file"`, else
 * undefined. bash would just become the program, so the program is run directly: starting bash is the greater part of
 * the cost of starting a job. GNU make does the same. Anything in doubt is left to bash.
 */
export function plainWords(script: string): readonly string[] | undefined {
  const text = script.trim();
  if (text.length > CHARACTERS_MAX || !COMMAND.test(text)) return undefined;
  const words = [...text.matchAll(WORD)].map(([word]) => word.replaceAll(PIECE, unquoted));
  const [program] = words;
  if (program === undefined || !PROGRAM.test(program) || OF_BASH.has(program)) return undefined;
  return TRUE_OR_FALSE.has(program) && words.length > 1 ? undefined : words;
}

/** Builtins that, without arguments, act like the programs of the same name. */
export const TRUE_OR_FALSE: ReadonlySet<string> = new Set(["true", "false"]);

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

/** The keywords and builtins of bash. A program with the name of a builtin differs from it: `printf '%(%Y)T'`, `echo --help`. */
const OF_BASH: ReadonlySet<string> = new Set(
  (
    "if then elif else fi time for in until while do done case esac coproc select function " +
    ". : alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo " +
    "enable eval exec exit export fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd " +
    "pwd read readarray readonly return set shift shopt source suspend test times trap type typeset ulimit umask " +
    "unalias unset wait"
  ).split(" "),
);

function unquoted(piece: string): string {
  return /^["']/.test(piece) ? piece.slice(1, -1) : piece;
}
