import { Command, CommanderError, Option } from "commander";
import { EXIT_USAGE, tellFailure } from "#cli/failure";
import { groupCommands } from "#cli/help-groups";
import type { CliHost, SettingOptions, SettingRow } from "#cli/host";
import { addRemoteCommands, withServer } from "#cli/remote/commands";
import { serve } from "#cli/serve";
import { tellServerUnused } from "#cli/server-variables";
import { addUser, issueToken, listUsers, setDisabled } from "#cli/user";
import type { RunOptions } from "#cli/run/run";
import type { UserAdmin } from "#cli/user-admin";
import { version } from "#cli/version";

/** Returns the exit code: 0, 1 if the command failed, 2 if it was typed wrongly. */
export async function runCli(args: readonly string[], host: CliHost): Promise<number> {
  let exitCode = 0;
  const program = buildProgram(host, (code) => (exitCode = code));
  try {
    await program.parseAsync([...args], { from: "user" });
    return exitCode;
  } catch (error) {
    // Commander has already printed the help or the error when it throws.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
    throw error;
  }
}

/** Builds all commands. `docs/reference/commands.md` is generated from their descriptions. */
export function buildProgram(host: CliHost, finish: (exitCode: number) => void): Command {
  const program = new Command("reprise")
    .description("Runs reproducible analysis workflows and serves them over REANA's REST API.")
    .version(host.version)
    .configureOutput({
      writeOut: (text) => host.print(text.trimEnd()),
      writeErr: (text) => host.complain(text.trimEnd()),
    })
    .exitOverride();
  const act = (work: Action) => actionOf(host, work, finish);

  withSettings(program.command("serve"), host.settings)
    .description(
      "Serve the API until Ctrl-C. Jobs that are running then go on, and the next start finds them.",
    )
    .option("--stop-jobs", "when the server stops, stop the running jobs too")
    .option("--json", "print JSON lines")
    .action(
      act(({ settings, flags }) =>
        serve(host, settings, { stopJobs: flags("stopJobs"), asJson: flags("json") }),
      ),
    );

  withServer(
    withSettings(program.command("run [analysis]"), only(host.settings, "dataFolder", "jobEnvironment")),
  )
    .description(
      "Run an analysis from beginning to end: a reana.yaml, a folder that holds one (without it: this folder), " +
        "or the address of a Git repository. " +
        "Its declared inputs are copied into a workspace, and the declared outputs come back; " +
        "those of a failed run, as far as it made them, into failed/<run>. " +
        "A server that was named is used, else the one on the data folder; without any the run goes on in this process. " +
        "The exit code is 0 if it has finished, 1 if it has failed, 130 if it was stopped, and 3 if the command gave up waiting for a server that is away.",
    )
    .option(
      "-p, --param <name=value>",
      "a parameter of the specification, instead of its own value; repeatable",
      collect,
    )
    .option(
      "--sweep <name=values>",
      'a run for each of these values of a parameter (x=1,2,3; with commas: x="a,b",c), compared at the end; repeatable, for all combinations',
      collect,
    )
    .option("--watch", "run again whenever the specification or an input has changed, until Ctrl-C")
    .option("-n, --name <name>", "what the run is called, instead of the name of the folder")
    .option(
      "--output <folder>",
      "where the outputs come to, instead of the folder of the specification; of a repository, one of its name here",
    )
    .option("--no-outputs", "leave the outputs in the workspace")
    .option("--strict", "exit with 1 if a declared output was not produced")
    .option("-v, --verbose", "show what the jobs print, while they print it")
    .option("--json", "print JSON lines: each thing that happens, and at last the outcome")
    .action(
      act(async ({ args, settings, options }) =>
        (await import("#cli/run/run")).run(host, settings, {
          ...(options() as unknown as RunOptions),
          analysis: args[0],
        }),
      ),
    );

  addUserCommands(
    program.command("user").description("Add, list and disable users, and give them tokens."),
    host,
    act,
  );

  addRemoteCommands(program, host, act, (command) =>
    withSettings(command, only(host.settings, "dataFolder")),
  );

  withSettings(program.command("migrate"), only(host.settings, "dataFolder"))
    .description(
      "Bring the database up to date, as each start of the server does. Safe to repeat, and by several at once.",
    )
    .option("--json", "print JSON")
    .action(
      act(async ({ settings, flags }) => {
        tellServerUnused(host, settings, "migrate");
        return (await import("#cli/migrate")).migrate(host, settings, flags("json"));
      }),
    );

  withServer(withSettings(program.command("drain"), only(host.settings, "dataFolder")))
    .description(
      "Before an upgrade: the running server gives no queued run its turn any more, and those under way go on. " +
        "Ends with the next start of the server.",
    )
    .option("--now", "let go of the runs under way as well: their jobs go on, the next server takes them up")
    .option("--wait", "answer when no run is under way any more")
    .option("--end", "work as ever again")
    .option("--json", "print JSON")
    .action(
      act(async (call) =>
        (await import("#cli/drain")).drain(host, call, {
          now: call.flags("now"),
          wait: call.flags("wait"),
          end: call.flags("end"),
          asJson: call.flags("json"),
        }),
      ),
    );

  withSettings(program.command("backup <target>"), only(host.settings, "dataFolder"))
    .description(
      "Copy the data folder and the database into a folder that is not there yet, while the server runs, " +
        "and read the copy back. What was broken off is never taken for a whole one.",
    )
    .option("--json", "print JSON")
    .action(
      act(async ({ args, settings, flags }) => {
        tellServerUnused(host, settings, "backup");
        const { backUp } = await import("#cli/backup");
        return backUp(host, settings, { target: args[0]!, asJson: flags("json") });
      }),
    );

  withSettings(program.command("restore <source>"), only(host.settings, "dataFolder"))
    .description(
      "Bring a backup into an empty data folder and, with PostgreSQL, an empty database. What is restored is a server " +
        "of its own: its original may go on beside it. Jobs that ran during the backup count as lost.",
    )
    .option("--json", "print JSON")
    .action(
      act(async ({ args, settings, flags }) => {
        tellServerUnused(host, settings, "restore");
        const { restore } = await import("#cli/backup");
        return restore(host, settings, { source: args[0]!, asJson: flags("json") });
      }),
    );

  withSettings(program.command("install-service"), only(host.settings, "dataFolder"))
    .description(
      "Write a unit file for systemd, and say what to type next. Jobs go on while the service is stopped or started anew. " +
        "A service of the system has its data in /var/lib/reprise, if no other folder is named.",
    )
    .option("--user", "a service of your own, instead of one of the system")
    .option("--run-as <user>", "the user that a service of the system runs as, instead of reprise")
    .option("--print", "print the file, and write nothing")
    .option("--force", "write over a file that says something else")
    .action(
      act(async ({ settings, flags, options }) =>
        (await import("#cli/service/install-service")).installService(host, settings, {
          forUser: flags("user"),
          runAs: options()["runAs"] as string | undefined,
          printOnly: flags("print"),
          force: flags("force"),
        }),
      ),
    );

  withSettings(program.command("doctor"), only(host.settings, "dataFolder"))
    .description("Say what is there and what is missing on this machine. Changes nothing.")
    .option("--json", "print JSON")
    .action(
      act(async ({ settings, flags }) =>
        (await import("#cli/doctor/doctor")).doctor(host, settings, flags("json")),
      ),
    );

  program
    .command("completion <shell>")
    .description("Print what makes bash, zsh or fish complete the words of these commands.")
    .action(
      act(async ({ args }) => {
        const { completionScript } = await import("#cli/completion");
        host.print(completionScript(program, args[0]!));
      }),
    );

  program
    .command("version")
    .description("Print the version.")
    .option("--json", "print JSON")
    .action(act(async ({ flags }) => version(host, flags("json"))));

  groupCommands(program);
  return program;
}

function addUserCommands(user: Command, host: CliHost, act: (work: Action) => CommandAction): void {
  const command = (usage: string, description: string) =>
    withServer(withSettings(user.command(usage), only(host.settings, "dataFolder")))
      .description(description)
      .option("--json", "print JSON");
  const withUsers = (work: (users: UserAdmin, call: Call) => Promise<void>) =>
    act(async (call) => {
      const { openUserAdmin } = await import("#cli/open-user-admin");
      const users = await openUserAdmin(host, call);
      try {
        await work(users, call);
      } finally {
        await users.close();
      }
    });

  command("add <e-mail>", "Add a user and print the user's token.")
    .option("--token-stdin", "read the token from the standard input instead of making one")
    .action(
      withUsers((users, { args, flags }) =>
        addUser(host, users, args[0]!, { tokenFromInput: flags("tokenStdin"), asJson: flags("json") }),
      ),
    );
  command("list", "List the users.").action(
    withUsers((users, { flags }) => listUsers(host, users, flags("json"))),
  );
  command("token <user>", "Make another token for a user (an e-mail address or an id) and print it.")
    .option("--revoke-old", "revoke the user's other tokens")
    .action(
      withUsers((users, { args, flags }) =>
        issueToken(host, users, args[0]!, { revokeOld: flags("revokeOld"), asJson: flags("json") }),
      ),
    );
  command("disable <user>", "Lock a user out: the tokens open nothing any more. Runs and files stay.").action(
    withUsers((users, { args, flags }) =>
      setDisabled(host, users, args[0]!, { disable: true, asJson: flags("json") }),
    ),
  );
  command("enable <user>", "Let a disabled user in again, with the same tokens.").action(
    withUsers((users, { args, flags }) =>
      setDisabled(host, users, args[0]!, { disable: false, asJson: flags("json") }),
    ),
  );
}

interface Call {
  readonly args: readonly string[];
  readonly settings: SettingOptions;
  readonly flags: (name: string) => boolean;
  /** All options that were given, by their attribute names. */
  readonly options: () => Readonly<Record<string, unknown>>;
}

/** Returns the exit code; undefined means 0. */
type Action = (call: Call) => Promise<number | void>;
type CommandAction = (this: Command) => Promise<void>;

/**
 * Makes a Commander action. Commander passes it the command, and everything is read from that, so all actions look
 * alike.
 */
function actionOf(host: CliHost, work: Action, finish: (exitCode: number) => void): CommandAction {
  return async function action() {
    const settings = settingsOf(this, host.settings);
    const flags = (name: string) => this.opts()[name] === true;
    try {
      finish((await work({ args: this.args, settings, flags, options: () => this.opts() })) ?? 0);
    } catch (error) {
      finish(tellFailure(host, error, settings, flags("json")));
    }
  };
}

/** Collects the values of a repeatable option. */
function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

function withSettings(command: Command, rows: readonly SettingRow[]): Command {
  for (const row of rows) if (row.usage !== undefined) command.addOption(optionOf(row, row.usage));
  return command;
}

function optionOf(row: SettingRow, usage: string): Option {
  const turnsOff = usage.startsWith("--no-") ? "Turn off: " : "";
  const text = `${turnsOff}${row.sentence} [${row.variable}, default: ${row.fallback}]`;
  const option = new Option(usage, text.replaceAll("`", ""));
  const append = (value: string, before?: string) => (before === undefined ? value : `${before}\n${value}`);
  return row.isRepeatable === true ? option.argParser(append) : option;
}

function only(rows: readonly SettingRow[], ...names: readonly string[]): readonly SettingRow[] {
  return rows.filter((row) => names.includes(row.name));
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
