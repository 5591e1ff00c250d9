import { shellQuote } from "#plumbing/text/shell-quote";
import type { RepeatedCommand } from "#operations/runs/verification/cause/issued-command";

/** Files that a step may read though they are not declared as inputs. */
export interface Undeclared {
  /** Files of the workspace that changed between the two runs, relative to it. */
  readonly inside: readonly string[];
  /** Time in which a file outside of the workspace must have changed: after the run, and up to the end of its repetition. */
  readonly changedAfterMs: number;
  readonly changedUntilMs: number;
}

/** Folders with files that are no inputs, or that programs must be able to read as they are. */
const NOT_INPUTS = /^\/(proc|dev|sys|run|usr|bin|sbin|lib\w*)(\/|$)/;
const PATHS_MAX = 20;
const FILE_MAX_BYTES = 1 << 20;

/** Returns the absolute paths in the words of a command. */
function absolutePathsIn({ words }: Pick<RepeatedCommand, "words">): string[] {
  const found = words.join(" ").match(/(?<![\w.$}*~-])(?:\/[\w.@+%-]+)+/g) ?? [];
  return [...new Set(found)].filter((path) => !NOT_INPUTS.test(path)).slice(0, PATHS_MAX);
}

/** Changes the content of a text, so that each number is another one, and a text without numbers is longer. */
const CHANGE = `changed() { tr 0-9 1234567890 < "$1" > "$own/changed"; cmp -s "$1" "$own/changed" && cat "$1" "$1" > "$own/changed"; cat "$own/changed" > "$1"; rm "$own/changed"; }`;

/**
 * Returns shell lines that change the files of the workspace's copy in place, if `isChanged`. A file outside is covered
 * by a copy, which is what the step reads and writes, by options of bubblewrap in the variable `wall`.
 */
export function undeclaredLines(
  { inside, changedAfterMs, changedUntilMs }: Undeclared,
  command: RepeatedCommand,
  isChanged: boolean,
): string[] {
  const outside = absolutePathsIn(command);
  if (inside.length + outside.length === 0) return ['missing="$missing undeclared"'];
  const change = isChanged ? 'changed "$1"' : ":";
  return [
    CHANGE,
    `undeclared=""; altered() { if [ "$(wc -c < "$1")" -le ${FILE_MAX_BYTES} ]; then ${change}; undeclared=1; fi; }`,
    ...inside.map(
      (path) => `if [ -f ${shellQuote(`./${path}`)} ]; then altered ${shellQuote(`./${path}`)}; fi`,
    ),
    ...outside.flatMap((path, index) => {
      const [file, copy] = [shellQuote(path), `"$own/outside-${index}"`];
      return [
        `at=$(stat -c %.3Z ${file} 2> /dev/null | tr -d .) || at=""`,
        `if [ -f ${file} ] && [ "\${at:-0}" -gt ${changedAfterMs} ] && [ "$at" -le ${changedUntilMs} ] && bwrap --dev-bind / / true 2> /dev/null; then`,
        `  cp -p ${file} ${copy}; altered ${copy}; wall="$wall --bind $own/outside-${index} ${path}"; fi`,
      ];
    }),
    '[ -n "$undeclared" ] || missing="$missing undeclared"',
  ];
}

/** Variables of every process, and of other conditions. */
const NOT_VARIABLES =
  "PATH|PWD|OLDPWD|HOME|USER|LOGNAME|HOSTNAME|SHELL|SHLVL|TERM|LANG|LANGUAGE|LC_.*|TZ|TMPDIR|IFS|PS[0-9]|RANDOM|SRANDOM|SECONDS|EPOCH.*|LINENO|BASH.*|PPID|UID|EUID|OPTARG|OPTIND|PYTHON.*|PERL.*|LD_.*|FAKETIME.*|REANA_.*|REPRISE_.*|GLIBC_TUNABLES|OPENBLAS_CORETYPE|MKL_CBWR|.*_NUM_THREADS|_";
/** Second value of every variable: a number, because many steps compute with it. */
const OTHER_VALUE = "23";

/** Returns shell lines that put the variables that the step reads into `variables`, as `NAME=value`. */
export function variableLines({ words, environment }: RepeatedCommand, isChanged: boolean): string[] {
  const text = words.join(" ");
  const scripts = [...new Set(text.match(/[\w./+-]+\.(?:sh|bash|py|R|r|pl|awk|jl)\b/g) ?? [])].slice(
    0,
    PATHS_MAX,
  );
  const own = environment.map((one) => one.slice(0, one.indexOf("=")));
  const left = [NOT_VARIABLES, ...own].join("|");
  const files = scripts.map((path) => shellQuote(path)).join(" ");
  const read =
    files === "" ? "" : `; for f in ${files}; do [ ! -f "$f" ] || head -c ${FILE_MAX_BYTES} "$f"; done`;
  return [
    `variables=$( (printf '%s\\n' ${shellQuote(text)}${read}) | grep -aoE '[$][{]?[A-Za-z_][A-Za-z0-9_]*|(environ([.]get)?[[(]|getenv[(])["'"'"'][A-Za-z_][A-Za-z0-9_]*' | sed 's/.*[^A-Za-z0-9_]//' | sort -u | grep -vxE ${shellQuote(left)} | head -n 50 | sed 's/$/=${OTHER_VALUE}/' | tr '\\n' ' ') || variables=""`,
    '[ -n "$variables" ] || missing="$missing variables"',
    ...(isChanged ? [] : ['variables=""']),
  ];
}
