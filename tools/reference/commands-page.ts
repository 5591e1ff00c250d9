import type { Command } from "commander";
import type { CliContext } from "../../server/src/cli/context.ts";
import { buildProgram } from "../../server/src/cli/program.ts";
import { settingRows } from "../../server/src/config/read.ts";

/**
 * The order of the commands on the page: commands without a server, commands for users of a server, commands
 * for its administrator. Commands not listed here follow in the order of `reprise --help`.
 */
const ORDER =
  "serve run user create upload start status logs ls download rm mv du prune diff list stop restart rerun delete open " +
  "env secrets validate migrate drain image backup restore install-service doctor completion version";

/** Returns `docs/reference/commands.md`: a heading for each command, with its `--help`. */
export function commandsPage(): string {
  return `${HEAD}\n\n${inOrder(program()).map(section).join("\n\n")}\n`;
}

/** Commands whose help shows every element of a help text: settings, options, arguments. */
const SAMPLES: ReadonlySet<string> = new Set(["reprise run", "reprise status", "reprise user add"]);

/**
 * Returns `fixtures/golden/help.txt`: the form of the help texts, by some examples. `docs/reference/` lists
 * all commands and settings, so a new command changes only one page.
 */
export function helpTexts(): string {
  const samples = inOrder(program()).filter(({ words }) => SAMPLES.has(words));
  return samples.map(({ words, command }) => `$ ${words} --help\n${command.helpInformation()}`).join("\n");
}

function program(): Command {
  // Inspecting the program needs only the settings from the context.
  const cli = { version: "", settings: settingRows() } as unknown as CliContext;
  const whole = buildProgram(cli, () => undefined);
  // A fixed width of 80 columns, on any terminal.
  whole.configureOutput({ getOutHelpWidth: () => 80 });
  for (const { command } of leaves(whole, [])) command.configureOutput({ getOutHelpWidth: () => 80 });
  return whole;
}

/** Returns the commands of the whole program in the order of the page. */
function inOrder(whole: Command): Leaf[] {
  const order = ORDER.split(" ");
  const placeOf = ({ words }: Leaf) => {
    const place = order.indexOf(words.split(" ")[1]!);
    return place === -1 ? order.length : place;
  };
  return leaves(whole, []).toSorted((one, other) => placeOf(one) - placeOf(other));
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
  const settings = settingRows().flatMap(({ usage }) => usage ?? []);
  const hasAll = settings.every((usage) => command.options.some(({ flags }) => flags === usage));
  const rows = command.options
    .filter(({ flags }) => !hasAll || !settings.includes(flags))
    .map((option) => `| \`${option.flags.replaceAll("|", "\\|")}\` | ${option.description} |`);
  return [
    `## ${words}`,
    "",
    command.description(),
    "",
    ...(hasAll ? ["Its options are the [settings](settings.md), and these.", ""] : []),
    `\`${words} ${command.usage()}\``,
    "",
    "| option | |",
    "|---|---|",
    ...rows,
  ].join("\n");
}

const HEAD = `# Commands

Generated from the help of the commands by \`npm run generate\`.

From a checkout: \`npm run reprise -- COMMAND\`, and \`npm start\` for \`reprise serve\`. With \`--json\`, standard output holds only
JSON. An error is one sentence on standard error (\`{"message"}\` with \`--json\`). The exit codes:

| exit code | meaning |
|---|---|
| 0 | Success. If the command waited for a run, it has finished. |
| 1 | An error. Or the command waited for a run, and it has failed or was stopped by another client. |
| 2 | The command was typed wrongly. |
| 3 | The command gave up waiting, because the server or its database is away: the run may still be running. |
| 130 | Ctrl-C ended the command, or stopped its run. |

The commands from \`create\` to \`env\`, and \`run\`, \`user\` and \`drain\`, use the server named by \`--server\`, or else by \`REPRISE_SERVER\` or
\`REANA_SERVER_URL\` in the environment, or else the one running on the data folder. An option overrides the environment: with
\`--data\` they use the server on that folder. Without any server, \`run\` and \`user\` do the work themselves. The token comes from a
file (\`--token-file\`), or else from \`REPRISE_TOKEN\` or \`REANA_ACCESS_TOKEN\`. It has no option, because every user of the machine
could see it in the list of processes. A request without a response is repeated for about ten seconds, and carried out once.

The \`user\` commands work on the data folder if no server is running on it, and through the API of its server otherwise.
\`reprise serve\` prints four lines to standard output: its address, an address that signs a browser in, how to use it, and where its data is. Its log (JSON lines) is
\`logs/server.log\` in the data folder; \`--log-to stderr\` sends it to standard error instead. The first Ctrl-C shuts the server
down in order, a second one (more than a second later) immediately.

\`reprise run\` reports progress on standard error, and prints the output files to standard output, one per line. At a terminal the
first Ctrl-C asks, the second stops the run, and the third exits immediately. Any other signal stops the run without asking. If
the command is killed, nothing is lost: the next \`reprise serve\` or \`reprise run\` on the data folder resumes the run.
With \`--json\` each line has an \`event\`: \`created\`, \`job-started\`, \`job-ended\`, \`waiting\`, and finally \`ended\` with the outputs;
a sweep ends with \`compared\`.`;
