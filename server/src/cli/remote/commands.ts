import type { Command } from "commander";
import type { CliHost } from "#cli/host";
import type { Act, RemoteCommand } from "#cli/remote/call";

/** Adds the option for the data folder to a command. `program.ts` provides it. */
type WithFolder = (command: Command) => Command;

/** Adds all commands that talk to a server. The code of each is loaded when it is used. */
export function addRemoteCommands(program: Command, host: CliHost, act: Act, withFolder: WithFolder): void {
  const commandOf = (
    parent: Command,
    usage: string,
    description: string,
    load: () => Promise<RemoteCommand>,
  ) =>
    withServer(withFolder(parent.command(usage)))
      .description(description)
      .option("--json", "print JSON")
      .action(act(async (call) => (await load())(host, call)));
  const command = (usage: string, description: string, load: () => Promise<RemoteCommand>) =>
    commandOf(program, usage, description, load);
  const onRun = (usage: string, description: string, load: () => Promise<RemoteCommand>) =>
    command(usage, description, load).option("-w, --workflow <workflow>", `the workflow ${WORKON}`);

  command(
    "create [address]",
    "Create a workflow of a reana.yaml, or of the Git repository at an address.",
    async () => (await import("#cli/remote/create")).create,
  )
    .option("-f, --file <file>", "the specification, instead of the reana.yaml in this folder")
    .option("-n, --name <name>", "what the workflow is called, instead of a name that is made up");

  onRun(
    "upload [paths...]",
    "Put files and folders into a workspace; without any, what the specification declares as inputs.",
    async () => (await import("#cli/remote/upload")).upload,
  ).option("--to <folder>", "a folder of the workspace that they go into");

  onRun(
    "start [workflow]",
    "Start a workflow.",
    async () => (await import("#cli/remote/change-status")).start,
  )
    .option("-p, --param <name=value>", "a parameter, instead of its own value; repeatable", collect)
    .option("--watch", WATCH);

  onRun(
    "status [workflow]",
    "Say how a workflow stands.",
    async () => (await import("#cli/remote/status")).status,
  ).option("--watch", WATCH);

  onRun(
    "logs [workflow]",
    "Print what the jobs of a workflow have printed.",
    async () => (await import("#cli/remote/logs")).logs,
  )
    .option("-f, --follow", "go on printing until the workflow has ended; the exit code is then its own")
    .option("--step <name>", "only the jobs of this step; repeatable", collect)
    .option("--engine", "also the lines that REANA's engine would write about the run");

  onRun(
    "ls [pattern]",
    "List the files of a workspace: all, those in a folder, or those that match.",
    async () => (await import("#cli/remote/files")).listFiles,
  );

  onRun(
    "download [paths...]",
    "Fetch files, folders, or what patterns match; without any, what the specification declares as outputs.",
    async () => (await import("#cli/remote/download")).download,
  ).option("-o, --output <folder>", "where they come to, instead of this folder");

  onRun(
    "rm <paths...>",
    "Delete files and folders of a workspace, or what patterns match.",
    async () => (await import("#cli/remote/files")).deleteFiles,
  );

  onRun(
    "mv <source> <target>",
    "Move files inside a workspace, as mv does.",
    async () => (await import("#cli/remote/files")).moveFiles,
  );

  onRun(
    "du [patterns...]",
    "Say what the files of a workspace take on the disk.",
    async () => (await import("#cli/remote/files")).diskUsage,
  ).option("-s, --summarize", "the sum alone");

  onRun(
    "prune [workflow]",
    "Delete all files of a workspace but the declared inputs and outputs.",
    async () => (await import("#cli/remote/prune")).prune,
  )
    .option("--include-inputs", "delete the declared inputs as well")
    .option("--include-outputs", "delete the declared outputs as well");

  command(
    "diff <one> <other>",
    "Say how two workflows differ: specification, parameters, steps, files.",
    async () => (await import("#cli/remote/diff")).diff,
  )
    .option("--brief", "which files differ, and not how")
    .option("--context <lines>", "equal lines around each change in a file, instead of 5");

  command(
    "list [name]",
    "List your workflows, the newest first: all, or those of a name.",
    async () => (await import("#cli/remote/list")).list,
  )
    .option("--status <status>", "only those of this status; repeatable", collect)
    .option("--count <number>", "at most so many, instead of 20");

  onRun(
    "stop [workflow]",
    "Stop a workflow and everything that it runs.",
    async () => (await import("#cli/remote/change-status")).stop,
  );

  onRun(
    "restart [workflow]",
    "Run a workflow again in its workspace; its results are replaced.",
    async () => (await import("#cli/remote/change-status")).restart,
  )
    .option("-p, --param <name=value>", "a parameter, instead of its own value; repeatable", collect)
    .option("--fresh", "run all steps again")
    .option("--from <step>", "run again from this step on")
    .option("--plan", "show what would be kept and what would run, and why; change nothing")
    .option("--watch", WATCH);

  onRun(
    "rerun [workflow]",
    "Run a workflow again with files of its own, and keep the results of both.",
    async () => (await import("#cli/remote/change-status")).rerun,
  )
    .option("-p, --param <name=value>", "a parameter, instead of its own value; repeatable", collect)
    .option("--fresh", "run all steps again")
    .option("--from <step>", "run again from this step on")
    .option("--plan", "show what would be kept and what would run, and why; change nothing")
    .option("--watch", WATCH);

  onRun(
    "delete [workflow]",
    "Delete a workflow and its files.",
    async () => (await import("#cli/remote/delete")).remove,
  )
    .option("--all-runs", "every run of the same name that is not under way")
    .option("--yes", "delete all runs without a question");

  onRun(
    "open [workflow]",
    "Show a workflow in the browser; print its address.",
    async () => (await import("#cli/remote/open")).open,
  );

  command(
    "env [workflow]",
    'Print what reana-client needs to use the server: eval "$(reprise env)".',
    async () => (await import("#cli/remote/env")).env,
  ).option("--client <generation>", "of reana-client: 0.9 (the default) or 0.95");

  const secrets = program
    .command("secrets")
    .description("Give passwords and keys to the jobs of all your runs.");
  commandOf(
    secrets,
    "list",
    "List the names of your secrets.",
    async () => (await import("#cli/remote/secrets")).listSecrets,
  );
  commandOf(
    secrets,
    "add [name]",
    "Add a variable, whose value is read from the standard input, or a file with --file.",
    async () => (await import("#cli/remote/secrets")).addSecret,
  )
    .option(
      "--file <file>",
      "a file that jobs find in the folder REANA_SECRETS_DIR, under the name or its own",
    )
    .option("--overwrite", "replace a secret of the same name");
  commandOf(
    secrets,
    "delete <names...>",
    "Delete secrets.",
    async () => (await import("#cli/remote/secrets")).deleteSecrets,
  );

  program
    .command("validate [file]")
    .description("Say what a server would say of a specification: the reana.yaml in this folder, or another.")
    .option("--json", "print JSON")
    .action(act(async (call) => (await import("#cli/remote/validate")).validate(host, call)));
}

/** Adds the options that name a server. */
export function withServer(command: Command): Command {
  return command
    .option("--server <address>", `the server to talk to ${SERVER_SOURCES}`)
    .option("--token-file <file>", `a file with the access token ${TOKEN_SOURCES}`);
}

const SERVER_SOURCES = "[REPRISE_SERVER, REANA_SERVER_URL, default: the one that runs on the data folder]";
const TOKEN_SOURCES = "[REPRISE_TOKEN, REANA_ACCESS_TOKEN, default: the one in the data folder]";
const WORKON = "[REPRISE_WORKON, REANA_WORKON]";
const WATCH = "say what changes until it has ended; the exit code is 0 when it has finished, else 1";

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
