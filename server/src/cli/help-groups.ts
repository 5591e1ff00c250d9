import { type Command, Help } from "commander";

/** The groups of commands in `reprise --help`, in this order, with one line for each command. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "Run:": {
    run: "Run an analysis here, from start to end",
    validate: "Check a specification and list its steps",
    create: "Create a workflow from a reana.yaml or a repository",
    start: "Start a workflow",
    status: "Show the status of a workflow",
    logs: "Print the output of the jobs of a workflow",
    list: "List your workflows, the newest first",
    diff: "Show how two workflows differ",
    restart: "Run a workflow again in its workspace",
    rerun: "Run a workflow again in a new workspace",
    stop: "Stop a workflow and all of its jobs",
    delete: "Delete a workflow and its files",
    open: "Open a workflow in the browser",
  },
  "Files:": {
    upload: "Put files and folders into a workspace",
    download: "Fetch files and folders from a workspace",
    ls: "List the files of a workspace",
    mv: "Move files inside a workspace",
    rm: "Delete files and folders from a workspace",
    du: "Show the disk space that a workspace uses",
    prune: "Delete the files that the specification does not declare",
  },
  "Server:": {
    serve: "Serve the API until Ctrl-C",
    doctor: "Check this machine and its server",
    drain: "Start no new runs, before an upgrade",
    backup: "Copy the data folder and the database",
    restore: "Restore a backup into an empty data folder",
    migrate: "Bring the database up to date",
    "install-service": "Write a unit file for systemd",
  },
  "Users:": {
    user: "Add, list and disable users, and give them tokens",
    secrets: "Manage passwords and keys for the jobs of your runs",
    env: "Print the variables that reana-client needs",
  },
  "Other:": {
    completion: "Print a completion script for bash, zsh or fish",
    version: "Print the version",
    help: "Show the help for a command",
  },
};

const ORDER = Object.values(GROUPS).flatMap((group) => Object.keys(group));

/** Applies the groups and lines once all commands have been added. The help of a single command is not changed. */
export function groupCommands(program: Command): void {
  for (const [heading, lines] of Object.entries(GROUPS)) {
    for (const command of program.commands) {
      const line = lines[command.name()];
      if (line !== undefined) command.helpGroup(heading).summary(line);
    }
  }
  program
    .commandsGroup("Other:")
    .helpCommand("help [command]", GROUPS["Other:"]!["help"])
    .configureHelp({
      visibleCommands(command) {
        return Help.prototype.visibleCommands
          .call(this, command)
          .toSorted((one, other) => ORDER.indexOf(one.name()) - ORDER.indexOf(other.name()));
      },
      // Keeps the groups in the order of their commands.
      groupItems: (_added, visible, groupOf) => Map.groupBy(visible, groupOf),
      subcommandTerm(command) {
        return Help.prototype.subcommandTerm.call(this, command).replace(" [options]", "");
      },
    });
}
