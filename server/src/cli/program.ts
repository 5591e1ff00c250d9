import { Command, CommanderError, Option } from "commander";
import { EXIT_USAGE, reportFailure } from "#cli/failure";
import { groupCommands } from "#cli/help-groups";
import type { CliContext, SettingOptions, SettingRow } from "#cli/context";
import { type Call, collect } from "#cli/call";
import { addRemoteCommands, withServer } from "#cli/remote-commands";
import { serve } from "#cli/server/serve";
import { warnServerUnused } from "#cli/connection/server-variables";
import { addUser, issueToken, listUsers, setDisabled } from "#cli/users/user";
import type { RunOptions } from "#cli/run/run";
import type { UserAdmin } from "#cli/users/user-admin";
import { version } from "#cli/version";

/** Returns the exit code: 0, 1 if the command failed, 2 if it was typed wrongly. */
export async function runCli(args: readonly string[], cli: CliContext): Promise<number> {
  let exitCode = 0;
  const program = buildProgram(cli, (code) => (exitCode = code));
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
export function buildProgram(cli: CliContext, finish: (exitCode: number) => void): Command {
  const program = new Command("reprise")
    .description("Runs reproducible analysis workflows and serves them over REANA's REST API.")
    .version(cli.version)
    .configureOutput({
      writeOut: (text) => cli.print(text.trimEnd()),
      writeErr: (text) => cli.printError(text.trimEnd()),
    })
    .exitOverride();
  const act = (work: Action) => actionOf(cli, work, finish);

  withSettings(program.command("serve"), cli.settings)
    .description(
      "Serve the API until Ctrl-C. Running jobs continue after that, and the next start finds them.",
    )
    .option("--stop-jobs", "also stop the running jobs when the server stops")
    .option("--json", "print JSON lines")
    .action(
      act(({ settings, flags }) =>
        serve(cli, settings, { stopJobs: flags("stopJobs"), asJson: flags("json") }),
      ),
    );

  withServer(
    withSettings(program.command("run [analysis]"), only(cli.settings, "dataFolder", "jobEnvironment")),
  )
    .description(
      "Run an analysis from start to end: a reana.yaml, a folder that contains one (default: this folder), " +
        "or the address of a Git repository. " +
        "The declared inputs are copied into a workspace, and the declared outputs are copied back. " +
        "Outputs of a failed run go into failed/<run>. " +
        "The run is carried out by the named server, or by the one on the data folder, or else by this process. " +
        "The exit code is 0 if the run has finished, 1 if it has failed, 130 if it was stopped, and 3 if the server was away for too long.",
    )
    .option("-p, --param <name=value>", "set a parameter of the specification; repeatable", collect)
    .option(
      "--sweep <name=values>",
      'run once for each value of a parameter (x=1,2,3; values with commas: x="a,b",c) and compare the results; repeat for all combinations',
      collect,
    )
    .option("--watch", "run again whenever the specification or an input has changed, until Ctrl-C")
    .option("-n, --name <name>", "the name of the run (default: the name of the folder)")
    .option(
      "--output <folder>",
      "the folder for the outputs (default: the folder of the specification, or a new one named after the repository)",
    )
    .option("--no-outputs", "leave the outputs in the workspace")
    .option("--strict", "exit with code 1 if a declared output was not produced")
    .option("-v, --verbose", "show the output of the jobs as it is printed")
    .option("--json", "print JSON lines: each event, and the outcome last")
    .action(
      act(async ({ args, settings, options }) =>
        (await import("#cli/run/run")).run(cli, settings, {
          ...(options() as unknown as RunOptions),
          analysis: args[0],
        }),
      ),
    );

  addUserCommands(
    program.command("user").description("Add, list and disable users, and give them tokens."),
    cli,
    act,
  );

  addRemoteCommands(program, cli, act, (command) => withSettings(command, only(cli.settings, "dataFolder")));

  withSettings(program.command("migrate"), only(cli.settings, "dataFolder"))
    .description(
      "Bring the database up to date, as each start of the server does. Safe to repeat and to run in parallel.",
    )
    .option("--json", "print JSON")
    .action(
      act(async ({ settings, flags }) => {
        warnServerUnused(cli, settings, "migrate");
        return (await import("#cli/server/migrate")).migrate(cli, settings, flags("json"));
      }),
    );

  withServer(withSettings(program.command("drain"), only(cli.settings, "dataFolder")))
    .description(
      "Prepare for an upgrade: the running server starts no more queued runs, and running ones continue. " +
        "The next start of the server ends the drain.",
    )
    .option(
      "--now",
      "hand over running runs as well: their jobs continue, and the next server resumes the runs",
    )
    .option("--wait", "wait until no run is running")
    .option("--end", "end the drain")
    .option("--json", "print JSON")
    .action(
      act(async (call) =>
        (await import("#cli/server/drain")).drain(cli, call, {
          now: call.flags("now"),
          wait: call.flags("wait"),
          end: call.flags("end"),
          asJson: call.flags("json"),
        }),
      ),
    );

  withSettings(program.command("backup <target>"), only(cli.settings, "dataFolder"))
    .description(
      "Copy the data folder and the database into a new folder, even while the server is running, " +
        "and verify the copy. An interrupted backup is never mistaken for a complete one.",
    )
    .option("--json", "print JSON")
    .action(
      act(async ({ args, settings, flags }) => {
        warnServerUnused(cli, settings, "backup");
        const { backUp } = await import("#cli/server/backup");
        return backUp(cli, settings, { target: args[0]!, asJson: flags("json") });
      }),
    );

  withSettings(program.command("restore <source>"), only(cli.settings, "dataFolder"))
    .description(
      "Restore a backup into an empty data folder and, with PostgreSQL, an empty database. The restored server is " +
        "independent: the original can keep running. Jobs that were running during the backup count as lost.",
    )
    .option("--json", "print JSON")
    .action(
      act(async ({ args, settings, flags }) => {
        warnServerUnused(cli, settings, "restore");
        const { restore } = await import("#cli/server/backup");
        return restore(cli, settings, { source: args[0]!, asJson: flags("json") });
      }),
    );

  withSettings(program.command("install-service"), only(cli.settings, "dataFolder"))
    .description(
      "Write a unit file for systemd and print the next steps. Jobs continue while the service is stopped or restarted. " +
        "A system service keeps its data in /var/lib/reprise unless another folder is named.",
    )
    .option("--user", "install a service for your user instead of a system service")
    .option("--run-as <user>", "the user that a system service runs as (default: reprise)")
    .option("--print", "print the file without writing it")
    .option("--force", "overwrite a file with different content")
    .action(
      act(async ({ settings, flags, options }) =>
        (await import("#cli/server/service/install-service")).installService(cli, settings, {
          forUser: flags("user"),
          runAs: options()["runAs"] as string | undefined,
          printOnly: flags("print"),
          force: flags("force"),
        }),
      ),
    );

  withSettings(program.command("doctor"), only(cli.settings, "dataFolder"))
    .description("Check this machine and its server, and report what is missing. Changes nothing.")
    .option("--json", "print JSON")
    .action(
      act(async ({ settings, flags }) =>
        (await import("#cli/server/doctor/doctor")).doctor(cli, settings, flags("json")),
      ),
    );

  program
    .command("completion <shell>")
    .description("Print a completion script for bash, zsh or fish.")
    .action(
      act(async ({ args }) => {
        const { completionScript } = await import("#cli/completion");
        cli.print(completionScript(program, args[0]!));
      }),
    );

  program
    .command("version")
    .description("Print the version.")
    .option("--json", "print JSON")
    .action(act(async ({ flags }) => version(cli, flags("json"))));

  groupCommands(program);
  return program;
}

function addUserCommands(user: Command, cli: CliContext, act: (work: Action) => CommandAction): void {
  const command = (usage: string, description: string) =>
    withServer(withSettings(user.command(usage), only(cli.settings, "dataFolder")))
      .description(description)
      .option("--json", "print JSON");
  const withUsers = (work: (users: UserAdmin, call: Call) => Promise<void>) =>
    act(async (call) => {
      const { openUserAdmin } = await import("#cli/users/open-user-admin");
      const users = await openUserAdmin(cli, call);
      try {
        await work(users, call);
      } finally {
        await users.close();
      }
    });

  command("add <e-mail>", "Add a user and print the user's token.")
    .option("--token-stdin", "read the token from standard input instead of creating one")
    .action(
      withUsers((users, { args, flags }) =>
        addUser(cli, users, args[0]!, { tokenFromInput: flags("tokenStdin"), asJson: flags("json") }),
      ),
    );
  command("list", "List the users.").action(
    withUsers((users, { flags }) => listUsers(cli, users, flags("json"))),
  );
  command("token <user>", "Create a new token for a user (an e-mail address or an id) and print it.")
    .option("--revoke-old", "revoke the user's other tokens")
    .action(
      withUsers((users, { args, flags }) =>
        issueToken(cli, users, args[0]!, { revokeOld: flags("revokeOld"), asJson: flags("json") }),
      ),
    );
  command(
    "disable <user>",
    "Lock a user out: the tokens are no longer accepted. Runs and files are kept.",
  ).action(
    withUsers((users, { args, flags }) =>
      setDisabled(cli, users, args[0]!, { disable: true, asJson: flags("json") }),
    ),
  );
  command("enable <user>", "Enable a disabled user again, with the same tokens.").action(
    withUsers((users, { args, flags }) =>
      setDisabled(cli, users, args[0]!, { disable: false, asJson: flags("json") }),
    ),
  );
}

/** Returns the exit code; undefined means 0. */
type Action = (call: Call) => Promise<number | void>;
type CommandAction = (this: Command) => Promise<void>;

/**
 * Makes a Commander action. Commander passes it the command, and everything is read from that, so all actions look
 * alike.
 */
function actionOf(cli: CliContext, work: Action, finish: (exitCode: number) => void): CommandAction {
  return async function action() {
    const settings = settingsOf(this, cli.settings);
    const flags = (name: string) => this.opts()[name] === true;
    try {
      finish((await work({ args: this.args, settings, flags, options: () => this.opts() })) ?? 0);
    } catch (error) {
      finish(reportFailure(cli, error, settings, flags("json")));
    }
  };
}

function withSettings(command: Command, rows: readonly SettingRow[]): Command {
  for (const row of rows) if (row.usage !== undefined) command.addOption(optionOf(row, row.usage));
  return command;
}

function optionOf(row: SettingRow, usage: string): Option {
  const { sentence } = row;
  const isOff = usage.startsWith("--no-");
  const shown = isOff ? `Do not ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}` : sentence;
  const text = `${shown} [${row.variable}, default: ${row.fallback}]`;
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
