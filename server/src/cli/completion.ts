import type { Command } from "commander";
import type { Call } from "#cli/call";
import type { CliContext } from "#cli/context";
import { UsageError } from "#cli/failure";
import { printable } from "#plumbing/text/printable";

/** Prints the completion script for a shell. */
export async function completion(cli: CliContext, { program, args }: Call): Promise<void> {
  cli.print(completionScript(program, args[0]!));
}

/** Returns the completion script for a shell, generated from the descriptions of the commands. */
function completionScript(program: Command, shell: string): string {
  const nodes = nodesOf(program, "");
  switch (shell) {
    case "bash":
      return bashScript(nodes);
    case "zsh":
      return zshScript(nodes);
    case "fish":
      return fishScript(nodes);
    default:
      throw new UsageError(`Unknown shell ${printable(shell, 100)}; use bash, zsh or fish.`);
  }
}

/** A command, identified by the words that lead to it: `user add`. */
interface Node {
  readonly words: string;
  readonly inner: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly {
    readonly long: string;
    readonly takesValue: boolean;
    readonly description: string;
  }[];
}

function nodesOf(command: Command, words: string): Node[] {
  const inner = command.commands.map((one) => ({ name: one.name(), description: one.description() }));
  const options = command.options.flatMap(({ long, required, description }) =>
    long ? [{ long, takesValue: required, description }] : [],
  );
  const below = command.commands.flatMap((one) =>
    nodesOf(one, words ? `${words} ${one.name()}` : one.name()),
  );
  return [{ words, inner, options: [...options, HELP] }, ...below];
}

const HELP = { long: "--help", takesValue: false, description: "display help for command" };

/**
 * Finds the commands among the words typed so far. An option's value equal to a command's name is mistaken
 * for a command.
 */
const BASH_HEAD = `# reprise completion bash: source it, or put it into ~/.local/share/bash-completion/completions/reprise
_reprise() {
  local current="\${COMP_WORDS[COMP_CWORD]}" typed="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${typed:+$typed }$word" in`;

function bashScript(nodes: readonly Node[]): string {
  const cases = nodes.map(
    ({ words, inner, options }) =>
      `    ${quoted(words)}) ${
        inner.length > 0 ? `words=${quoted(inner.map(({ name }) => name).join(" "))}` : `words=""`
      }; options=${quoted(options.map(({ long }) => long).join(" "))} ;;`,
  );
  return [
    BASH_HEAD,
    `      ${patternOf(nodes)}) typed="\${typed:+$typed }$word" ;;`,
    "    esac",
    "  done",
    "  local words options",
    '  case "$typed" in',
    ...cases,
    "  esac",
    '  case "$current" in -*) words="$options" ;; esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    "}",
    "complete -o default -F _reprise reprise",
  ].join("\n");
}

const ZSH_HEAD = `#compdef reprise
# reprise completion zsh: put it into a folder of $fpath, as _reprise
_reprise() {
  local typed="" word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${typed:+$typed }$word" in`;

function zshScript(nodes: readonly Node[]): string {
  const cases = nodes.map(({ words, inner, options }) => {
    const names = inner.map(({ name }) => name).join(" ");
    const rest = inner.length > 0 ? `compadd -- ${names}` : "_files";
    const all = options.map(({ long }) => long).join(" ");
    return `    ${quoted(words)}) if [[ $PREFIX == -* ]]; then compadd -- ${all}; else ${rest}; fi ;;`;
  });
  return [
    ZSH_HEAD,
    `      ${patternOf(nodes)}) typed="\${typed:+$typed }$word" ;;`,
    "    esac",
    "  done",
    '  case "$typed" in',
    ...cases,
    "  esac",
    "}",
    "compdef _reprise reprise",
  ].join("\n");
}

function patternOf(nodes: readonly Node[]): string {
  return nodes
    .filter(({ words }) => words !== "")
    .map(({ words }) => quoted(words))
    .join("|");
}

function fishScript(nodes: readonly Node[]): string {
  const lines = nodes.flatMap((node) => {
    const condition = `-n ${quoted(fishCondition(node))}`;
    const inner = node.inner.map(
      ({ name, description }) =>
        `complete -c reprise ${condition} -f -a ${name} -d ${quoted(firstSentence(description))}`,
    );
    const options = node.options.map(
      ({ long, takesValue, description }) =>
        `complete -c reprise ${condition} -l ${long.slice(2)}${takesValue ? " -r" : ""} -d ${quoted(firstSentence(description))}`,
    );
    return [...inner, ...options];
  });
  return ["# reprise completion fish: put it into ~/.config/fish/completions/reprise.fish", ...lines].join(
    "\n",
  );
}

function fishCondition({ words, inner }: Node): string {
  if (words === "") return "__fish_use_subcommand";
  const seen = words.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`);
  const notYet =
    inner.length > 0 ? [`not __fish_seen_subcommand_from ${inner.map(({ name }) => name).join(" ")}`] : [];
  return [...seen, ...notYet].join("; and ");
}

/** Returns the first sentence without the note about the variable and the default, which belongs in the help. */
function firstSentence(text: string): string {
  const said = text.replace(/ \[.*\]$/, "");
  return /^.*?\.(?=\s|$)/.exec(said)?.[0] ?? said;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
