import { type CommandGroup, commandOnRun, option, repeatableOption, serverCommand } from "#cli/command";

/** The commands about who else may read a run. */
export const SHARING_COMMANDS: CommandGroup = {
  heading: "Sharing:",
  commands: [
    commandOnRun({
      usage: "share [who...]",
      summary: "Let others read a workflow, or list who may",
      description:
        "Let users (e-mail addresses) or groups (group:physics) read a workflow: status, logs, files and specification. " +
        "They can change nothing. Without names, list with whom it is shared.",
      options: [
        option("--until <day>", "the last day on which they may read it, such as 2026-12-31 (UTC)"),
        option("--message <text>", "a message to them"),
      ],
      load: async () => (await import("#cli/sharing/share")).share,
    }),
    commandOnRun({
      usage: "unshare <who...>",
      summary: "Stop sharing a workflow",
      description: "Stop sharing a workflow with users or groups, and close what they are watching.",
      load: async () => (await import("#cli/sharing/share")).unshare,
    }),
    serverCommand({
      usage: "badge [repository]",
      summary: "Print a badge that launches a repository",
      description:
        "Print a badge in Markdown, for the README of the Git repository at an address. Its link opens a page of the server that asks " +
        "its reader whether to fetch the repository and start the run. With -w, also print how to cite a workflow, with its DOI if it has " +
        "one; its repository is then the default. Nothing else is requested from the server.",
      options: [
        option("-w, --workflow <workflow>", "the workflow to cite"),
        option("-n, --name <name>", "the name of the run"),
        option("-f, --file <path>", "the specification in the repository (default: reana.yaml)"),
        repeatableOption("-p, --param <name=value>", "set a parameter; repeatable"),
        option("--html", "print HTML instead of Markdown"),
      ],
      load: async () => (await import("#cli/sharing/badge")).badge,
    }),
    {
      usage: "group",
      summary: "Make groups of users to share with",
      description:
        "Make groups of users. A workflow that is shared with group:physics is read by all its members.",
      commands: [
        serverCommand({
          usage: "list",
          description: "List the groups that you maintain or belong to; for the administrator, all groups.",
          load: async () => (await import("#cli/sharing/groups")).listGroups,
        }),
        serverCommand({
          usage: "show <group>",
          description: "List the members of a group and their roles.",
          load: async () => (await import("#cli/sharing/groups")).showGroup,
        }),
        serverCommand({
          usage: "create <group> [members...]",
          description: "Make a group, with yourself and these users (e-mail addresses) as members.",
          load: async () => (await import("#cli/sharing/groups")).createGroup,
        }),
        serverCommand({
          usage: "add <group> <members...>",
          description:
            "Add users to a group, or change their roles, as a maintainer, its owner or the administrator. Only the last two name " +
            "maintainers.",
          options: [
            option(
              "--role <viewer|member|maintainer>",
              "viewer: reads what is shared with the group; member: also shares with it (default for new users); maintainer: also " +
                "adds and removes viewers and members",
            ),
          ],
          load: async () => (await import("#cli/sharing/groups")).addMembers,
        }),
        serverCommand({
          usage: "remove <group> <members...>",
          description:
            "Remove users from a group, as a maintainer, its owner or the administrator. A member may also leave.",
          load: async () => (await import("#cli/sharing/groups")).removeMembers,
        }),
        serverCommand({
          usage: "delete <group>",
          description: "Delete a group: what was shared with it is no longer shared with its members.",
          load: async () => (await import("#cli/sharing/groups")).deleteGroup,
        }),
      ],
    },
  ],
};
