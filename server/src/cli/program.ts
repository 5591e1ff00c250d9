import { Command, CommanderError, Help, Option } from "commander";
import type { Action } from "#cli/call";
import type { CommandDeclaration, CommandFamily, OptionDeclaration } from "#cli/command";
import { COMMAND_GROUPS } from "#cli/commands";
import type { CliContext, SettingOptions, SettingRow } from "#cli/context";
import { EXIT_USAGE, reportFailure } from "#cli/failure";
import { shellWords } from "#plumbing/text/shell-words";

/** Returns the exit code: 0, 1 if the command failed, 2 if it was typed wrongly. */
export async function runCli(args: readonly string[], cli: CliContext): Promise<number> {
  let exitCode = 0;
  const program = buildProgram(cli, (code) => (exitCode = code));
  try {
    await program.parseAsync(withWordsOf(args, cli.environment), { from: "user" });
    return exitCode;
  } catch (error) {
    // Commander has already printed the help or the error when it throws.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
    throw error;
  }
}

/** Puts the words of the command's variable before its arguments. */
function withWordsOf(args: readonly string[], environment: CliContext["environment"]): string[] {
  const commands = COMMAND_GROUPS.flatMap((group) => group.commands);
  const named = commands.find(({ usage }) => usage.split(" ", 1)[0] === args[0]);
  const variable = named && "wordsFrom" in named ? named.wordsFrom : undefined;
  const words = variable === undefined ? [] : shellWords(environment[variable] ?? "");
  return [...args.slice(0, 1), ...words, ...args.slice(1)];
}

type Finish = (exitCode: number) => void;

/** Width below which the descriptions of long options would not be wrapped: the choices of `--containers` take 40 of 80 columns. */
const DESCRIPTION_MIN_WIDTH = 30;

/** Builds all commands. `docs/reference/commands.md` is generated from their descriptions. */
export function buildProgram(cli: CliContext, finish: Finish): Command {
  const program = new Command("reprise")
    .description("Runs reproducible analysis workflows and serves them over REANA's REST API.")
    .version(cli.version)
    .configureOutput({
      writeOut: (text) => cli.print(text.trimEnd()),
      writeErr: (text) => cli.printError(text.trimEnd()),
    })
    .exitOverride()
    .configureHelp({ groupItems, subcommandTerm, minWidthToWrap: DESCRIPTION_MIN_WIDTH });
  for (const { heading, commands } of COMMAND_GROUPS) {
    program.commandsGroup(heading);
    for (const declaration of commands) addCommand(program, declaration, cli, finish);
  }
  return program.helpCommand("help [command]", "Show the help for a command");
}

/** Keeps the groups of `--help` in the order of their commands. */
function groupItems<Item extends Command | Option>(
  _all: Item[],
  visible: Item[],
  groupOf: (item: Item) => string,
): Map<string, Item[]> {
  return Map.groupBy(visible, groupOf);
}

function subcommandTerm(this: Help, command: Command): string {
  return Help.prototype.subcommandTerm.call(this, command).replace(" [options]", "");
}

function addCommand(
  parent: Command,
  declaration: CommandDeclaration | CommandFamily,
  cli: CliContext,
  finish: Finish,
): void {
  const command = parent.command(declaration.usage).description(declaration.description);
  if (declaration.summary !== undefined) command.summary(declaration.summary);
  if ("commands" in declaration) {
    for (const inner of declaration.commands) addCommand(command, inner, cli, finish);
    return;
  }
  const { settings, namesServer, options, load } = declaration;
  for (const row of cli.settings) {
    const isOffered = settings === "all" || settings.includes(row.name);
    if (isOffered && row.usage !== undefined) command.addOption(settingOption(row, row.usage));
  }
  for (const one of [...(namesServer ? SERVER_OPTIONS : []), ...options]) command.addOption(optionOf(one));
  if (declaration.takesAnyOption) command.allowUnknownOption().allowExcessArguments().helpOption(false);
  command.action(actionOf(cli, load, finish));
}

/**
 * Makes a Commander action. Commander passes the command, which gives access to all arguments and options, so
 * all actions look alike.
 */
function actionOf(cli: CliContext, load: () => Promise<Action>, finish: Finish) {
  return async function action(this: Command): Promise<void> {
    const settings = settingsOf(this, cli.settings);
    const flags = (name: string) => this.opts()[name] === true;
    try {
      const run = await load();
      const call = { program: rootOf(this), args: this.args, settings, flags, options: () => this.opts() };
      finish((await run(cli, call)) ?? 0);
    } catch (error) {
      finish(reportFailure(cli, error, settings, flags("json")));
    }
  };
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}

const SERVER_OPTIONS: readonly OptionDeclaration[] = [
  {
    flags: "--server <address>",
    description:
      "the server to talk to [REPRISE_SERVER, REANA_SERVER_URL, default: the one running on the data folder]",
    isRepeatable: false,
  },
  {
    flags: "--token-file <file>",
    description:
      "a file with the access token [REPRISE_TOKEN, REANA_ACCESS_TOKEN, default: the one in the data folder]",
    isRepeatable: false,
  },
];

function optionOf({ flags, description, isRepeatable }: OptionDeclaration): Option {
  const option = new Option(flags, description);
  const append = (value: string, before: readonly string[] = []) => [...before, value];
  return isRepeatable ? option.argParser(append) : option;
}

function settingOption(row: SettingRow, usage: string): Option {
  const { sentence } = row;
  const isOff = usage.startsWith("--no-");
  const shown = isOff ? `Do not ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}` : sentence;
  const text = `${shown} [${row.variable}, default: ${row.fallback}]`;
  const option = new Option(usage, text.replaceAll("`", ""));
  const append = (value: string, before?: string) => (before === undefined ? value : `${before}\n${value}`);
  return row.isRepeatable ? option.argParser(append) : option;
}

/** Returns only the settings that were typed: a default must not override the environment. */
function settingsOf(command: Command, rows: readonly SettingRow[]): SettingOptions {
  const typed: Record<string, string | boolean> = {};
  for (const row of rows) {
    const key = row.usage && new Option(row.usage).attributeName();
    if (key && command.getOptionValueSource(key) === "cli")
      typed[row.name] = command.opts()[key] as string | boolean;
  }
  return typed;
}
