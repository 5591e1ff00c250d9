import type { Command } from "commander";
import type { CliContext } from "#cli/context";
import { type Act, collect, type RemoteCommand } from "#cli/call";

/** Adds the option for the data folder to a command. `program.ts` provides it. */
type WithFolder = (command: Command) => Command;

/** Adds all commands that talk to a server. The code of each is loaded when it is used. */
export function addRemoteCommands(program: Command, cli: CliContext, act: Act, withFolder: WithFolder): void {
  const commandOf = (
    parent: Command,
    usage: string,
    description: string,
    load: () => Promise<RemoteCommand>,
  ) =>
    withServer(withFolder(parent.command(usage)))
      .description(description)
      .option("--json", "print JSON")
      .action(act(async (call) => (await load())(cli, call)));
  const command = (usage: string, description: string, load: () => Promise<RemoteCommand>) =>
    commandOf(program, usage, description, load);
  const onRun = (usage: string, description: string, load: () => Promise<RemoteCommand>) =>
    command(usage, description, load).option("-w, --workflow <workflow>", `the workflow ${WORKON}`);

  command(
    "create [address]",
    "Create a workflow from a reana.yaml, or from the Git repository at an address.",
    async () => (await import("#cli/runs/create")).create,
  )
    .option("-f, --file <file>", "the specification (default: the reana.yaml in this folder)")
    .option("-n, --name <name>", "the name of the workflow (default: a generated name)");

  onRun(
    "upload [paths...]",
    "Upload files and folders into a workspace. Without arguments, upload the declared inputs.",
    async () => (await import("#cli/files/upload")).upload,
  ).option("--to <folder>", "the folder of the workspace to put them into");

  onRun("start [workflow]", "Start a workflow.", async () => (await import("#cli/runs/change-status")).start)
    .option("-p, --param <name=value>", "set a parameter; repeatable", collect)
    .option("--watch", WATCH);

  onRun(
    "status [workflow]",
    "Show the status of a workflow.",
    async () => (await import("#cli/runs/status")).status,
  ).option("--watch", WATCH);

  onRun(
    "logs [workflow]",
    "Print the output of the jobs of a workflow.",
    async () => (await import("#cli/runs/logs")).logs,
  )
    .option("-f, --follow", "keep printing until the workflow has ended, and exit with its exit code")
    .option("--step <name>", "only the jobs of this step; repeatable", collect)
    .option("--engine", "also print the lines that REANA's engine would log for the run");

  onRun(
    "ls [pattern]",
    "List the files of a workspace: all of them, those in a folder, or those that match a pattern.",
    async () => (await import("#cli/files/files")).listFiles,
  );

  onRun(
    "download [paths...]",
    "Download files, folders, or the matches of patterns. Without arguments, download the declared outputs.",
    async () => (await import("#cli/files/download")).download,
  ).option("-o, --output <folder>", "the folder to download into (default: this folder)");

  onRun(
    "rm <paths...>",
    "Delete files, folders, or the matches of patterns from a workspace.",
    async () => (await import("#cli/files/files")).deleteFiles,
  );

  onRun(
    "mv <source> <target>",
    "Move files inside a workspace, as mv does.",
    async () => (await import("#cli/files/files")).moveFiles,
  );

  onRun(
    "du [patterns...]",
    "Show the disk space that the files of a workspace use.",
    async () => (await import("#cli/files/files")).diskUsage,
  ).option("-s, --summarize", "only the total");

  onRun(
    "prune [workflow]",
    "Delete all files of a workspace except the declared inputs and outputs.",
    async () => (await import("#cli/files/prune")).prune,
  )
    .option("--include-inputs", "also delete the declared inputs")
    .option("--include-outputs", "also delete the declared outputs");

  command(
    "diff <one> <other>",
    "Show how two workflows differ: specification, parameters, steps, files.",
    async () => (await import("#cli/runs/diff")).diff,
  )
    .option("--brief", "only list the files that differ, without their contents")
    .option("--context <lines>", "the number of equal lines around each change in a file (default: 5)");

  command(
    "list [name]",
    "List your workflows, the newest first: all of them, or those with a name.",
    async () => (await import("#cli/runs/list")).list,
  )
    .option("--status <status>", "only workflows with this status; repeatable", collect)
    .option("--count <number>", "the maximum number of workflows to list (default: 20)");

  onRun(
    "stop [workflow]",
    "Stop a workflow and all of its jobs.",
    async () => (await import("#cli/runs/change-status")).stop,
  );

  onRun(
    "restart [workflow]",
    "Run a workflow again in its workspace, replacing its results.",
    async () => (await import("#cli/runs/change-status")).restart,
  )
    .option("-p, --param <name=value>", "set a parameter; repeatable", collect)
    .option("--fresh", "run all steps again")
    .option("--from <step>", "run again from this step on")
    .option("--plan", "show what would be kept and what would run, and why, without changing anything")
    .option("--watch", WATCH);

  onRun(
    "rerun [workflow]",
    "Run a workflow again in a copy of its workspace, keeping the results of both.",
    async () => (await import("#cli/runs/change-status")).rerun,
  )
    .option("-p, --param <name=value>", "set a parameter; repeatable", collect)
    .option("--fresh", "run all steps again")
    .option("--from <step>", "run again from this step on")
    .option("--plan", "show what would be kept and what would run, and why, without changing anything")
    .option("--watch", WATCH);

  onRun(
    "delete [workflow]",
    "Delete a workflow and its files.",
    async () => (await import("#cli/runs/delete")).remove,
  )
    .option("--all-runs", "delete every run of the same name that is not running")
    .option("--yes", "delete all runs without asking");

  onRun(
    "open [workflow]",
    "Open a workflow in the browser and print its address.",
    async () => (await import("#cli/runs/open")).open,
  );

  command(
    "env [workflow]",
    'Print the variables that reana-client needs to use the server: eval "$(reprise env)".',
    async () => (await import("#cli/users/env")).env,
  ).option("--client <generation>", "the generation of reana-client: 0.9 (the default) or 0.95");

  const secrets = program
    .command("secrets")
    .description("Manage passwords and keys for the jobs of all your runs.");
  commandOf(
    secrets,
    "list",
    "List the names of your secrets.",
    async () => (await import("#cli/users/secrets")).listSecrets,
  );
  commandOf(
    secrets,
    "add [name]",
    "Add a variable, whose value is read from standard input, or a file with --file.",
    async () => (await import("#cli/users/secrets")).addSecret,
  )
    .option(
      "--file <file>",
      "a file that jobs find in the folder REANA_SECRETS_DIR, under [name] or its own name",
    )
    .option("--overwrite", "replace a secret of the same name");
  commandOf(
    secrets,
    "delete <names...>",
    "Delete secrets.",
    async () => (await import("#cli/users/secrets")).deleteSecrets,
  );

  program
    .command("validate [file]")
    .description("Check a specification as a server would: the reana.yaml in this folder, or another file.")
    .option("--json", "print JSON")
    .action(act(async (call) => (await import("#cli/runs/validate")).validate(cli, call)));
}

/** Adds the options that name a server. */
export function withServer(command: Command): Command {
  return command
    .option("--server <address>", `the server to talk to ${SERVER_SOURCES}`)
    .option("--token-file <file>", `a file with the access token ${TOKEN_SOURCES}`);
}

const SERVER_SOURCES = "[REPRISE_SERVER, REANA_SERVER_URL, default: the one running on the data folder]";
const TOKEN_SOURCES = "[REPRISE_TOKEN, REANA_ACCESS_TOKEN, default: the one in the data folder]";
const WORKON = "[REPRISE_WORKON, REANA_WORKON]";
const WATCH = "print each change until the workflow has ended; the exit code is 0 if it has finished, else 1";
