import type { Command } from "commander";
import type { CliHost } from "../../server/src/cli/host.ts";
import { buildProgram } from "../../server/src/cli/program.ts";
import { settingRows } from "../../server/src/config.ts";

/** Returns `docs/reference/commands.md`: a heading for each command, with its `--help`. */
export function commandsPage(): string {
  return `${HEAD}\n\n${leaves(program(), []).map(section).join("\n\n")}\n`;
}

/** Returns `fixtures/golden/help.txt`: the `--help` of every command. */
export function helpTexts(): string {
  const whole = program();
  const all = [{ words: "reprise", command: whole }, ...leaves(whole, [])];
  return all.map(({ words, command }) => `$ ${words} --help\n${command.helpInformation()}`).join("\n");
}

function program(): Command {
  // The program is only inspected, which needs nothing from the host but the settings.
  const host = { version: "", settings: settingRows() } as unknown as CliHost;
  const whole = buildProgram(host, () => undefined);
  // A fixed width of 80 columns, on any terminal.
  whole.configureOutput({ getOutHelpWidth: () => 80 });
  for (const { command } of leaves(whole, [])) command.configureOutput({ getOutHelpWidth: () => 80 });
  return whole;
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
and nothing else; a failure is a sentence on the standard error (\`{"message"}\` with \`--json\`). The exit codes:

| exit code | means |
|---|---|
| 0 | It worked; a run that was waited for has finished. |
| 1 | It did not work; a run that was waited for has failed or was stopped by somebody else. |
| 2 | The command was typed wrongly. |
| 3 | The command gave up waiting, because the server or its database is away: the run may still be running. |
| 130 | Ctrl-C ended the command, or stopped its run. |

The commands from \`create\` to \`env\`, and \`run\`, \`user\` and \`drain\`, use the server that \`--server\` names, else \`REPRISE_SERVER\` or
\`REANA_SERVER_URL\` in the environment, else the one that runs on the data folder. An option
beats the environment: \`--data\` asks for the server on that folder, whatever the environment names. Without any, \`run\` and \`user\` do it
themselves. The token comes from a file (\`--token-file\`),
else from \`REPRISE_TOKEN\` or \`REANA_ACCESS_TOKEN\`; there is no option for it, because every user of a machine sees all options.
A request that gets no answer is sent again for about ten seconds, and carried out once.

The commands about users work on the data folder while no server runs on it; beside a live server they go through its API. The
standard output of \`reprise serve\` holds three lines: the address, how to use it, where its data are. Its log (JSON lines) is
\`logs/server.log\` in the data folder; \`--log-to stderr\` sends it to the standard error instead. The first Ctrl-C stops it in
order, a second one (more than a second later) at once.

\`reprise run\` tells what happens on the standard error, and on the standard output the files that came back, a line each. Ctrl-C
at a terminal asks; once more stops the run, and a third time leaves at once. A signal from elsewhere stops it without asking. One
that is killed loses nothing: the next \`reprise serve\` or \`reprise run\` on the data folder goes on with the run.
With \`--json\` each line has an \`event\`: \`created\`, \`job-started\`, \`job-ended\`, \`waiting\`, and at last \`ended\` with the outputs; a sweep
ends with \`compared\`.`;
