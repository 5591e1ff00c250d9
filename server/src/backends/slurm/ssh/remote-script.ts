import type { ProgramResult } from "#backends/containers/run-program";
import { shellQuote } from "#plumbing/text/shell-quote";

/** A command of a cluster on its login host. */
export interface RemoteCommand {
  readonly program: string;
  readonly words: readonly string[];
  /** A random word. The output between two lines with this word is the output of the command. */
  readonly mark: string;
}

/** Prints a variable of the login shell, after the lines that the files of the shell print. */
const LOGIN = `login() { bash -lc "printf '\\n%s' \\"\\$$1\\"" < /dev/null 2> /dev/null | tail -n 1; }`;

/**
 * Returns the script for `/bin/sh` on the login host. The script arrives on the standard input, because each login shell (bash,
 * tcsh, fish) quotes words differently. The command gets the variables that it would get on this machine: the locale and the
 * variables of a person would change what Slurm prints and what jobs inherit.
 */
export function remoteScript({ program, words, mark }: RemoteCommand): string {
  const name = shellQuote(program);
  return [
    `printf '\\n%s\\n' ${mark}; printf '\\n%s\\n' ${mark} >&2`,
    LOGIN,
    `found() { command -v ${name} > /dev/null 2>&1; }`,
    // Some sites put Slurm into the PATH in /etc/profile only.
    `found || { SLURM_CONF=$(login SLURM_CONF); PATH=$(login PATH):$PATH; }`,
    `found || { printf '\\n%s absent\\n' ${mark}; exit; }`,
    `env -i PATH="$PATH" HOME="$HOME" LANG=C.UTF-8 \${SLURM_CONF:+SLURM_CONF="$SLURM_CONF"} ${[program, ...words].map(shellQuote).join(" ")} < /dev/null`,
    `code=$?`,
    `printf '\\n%s\\n' ${mark} >&2; printf '\\n%s %s\\n' ${mark} "$code"`,
    "",
  ].join("\n");
}

/**
 * Returns the result of the command. Returns "absent" if the login host has no such program, and undefined if the connection
 * ended before the command did: the command may have been carried out.
 */
export function remoteResult(
  { stdout, stderr }: ProgramResult,
  mark: string,
): ProgramResult | "absent" | undefined {
  const [, end] = new RegExp(`\\n${mark} (absent|\\d+)\\n`).exec(stdout) ?? [];
  if (end === undefined || end === "absent") return end;
  return { code: Number(end), stdout: between(stdout, mark), stderr: between(stderr, mark) };
}

function between(text: string, mark: string): string {
  const from = text.indexOf(`\n${mark}\n`);
  const to = text.lastIndexOf(`\n${mark}`);
  return text.slice(from + mark.length + 2, Math.max(to, from + mark.length + 2));
}
