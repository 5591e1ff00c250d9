import type { Command } from "commander";
import type { CliHost } from "../../server/src/cli/host.ts";
import { buildProgram } from "../../server/src/cli/program.ts";
import { settingRows } from "../../server/src/config.ts";

/** `docs/reference/commands.md`: a heading for each command, with what `--help` says. */
export function commandsPage(): string {
  // Only asked what it looks like: nothing of the host but the settings is needed.
  const host = { version: "", settings: settingRows() } as unknown as CliHost;
  const commands = leaves(
    buildProgram(host, () => undefined),
    [],
  );
  return `${HEAD}\n\n${commands.map(section).join("\n\n")}\n`;
}

interface Leaf {
  readonly words: string;
  readonly command: Command;
}

function leaves(command: Command, above: readonly string[]): Leaf[] {
  const words = [...above, command.name()];
  if (command.commands.length === 0) return [{ words: words.join(" "), command }];
  return command.commands.flatMap((inner) => leaves(inner, words));
}

function section({ words, command }: Leaf): string {
  const rows = command.options.map(
    (option) => `| \`${option.flags.replaceAll("|", "\\|")}\` | ${option.description} |`,
  );
  return [
    `## ${words}`,
    "",
    command.description(),
    "",
    `\`${words} ${command.usage()}\``,
    "",
    "| option | |",
    "|---|---|",
    ...rows,
  ].join("\n");
}

const HEAD = `# Commands

Made from what the commands say about themselves by \`npm run generate\`.

From a checkout: \`npm run reprise -- COMMAND\`, and \`npm start\` for \`reprise serve\`. With \`--json\` the standard output holds JSON
and nothing else; a failure is a sentence on the standard error (\`{"message"}\` with \`--json\`). The exit code is 0, 1 for what
did not work, 2 for a command that was typed wrongly.

The commands about users work on the data folder while no server runs on it; beside a live server they go through its API. The
standard output of \`reprise serve\` holds three lines: the address, how to use it, where its data are. Its log (JSON lines) is
\`logs/server.log\` in the data folder; \`--log-to stderr\` sends it to the standard error instead. The first Ctrl-C stops it in
order, a second one (more than a second later) at once.

\`reprise run\` tells what happens on the standard error, and on the standard output the files that came back, a line each. Ctrl-C
at a terminal asks; once more stops the run, and a third time leaves at once. A signal from elsewhere stops it without asking. One
that is killed loses nothing: the next \`reprise serve\` or \`reprise run\` on the data folder goes on with the run.`;
