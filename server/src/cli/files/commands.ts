import { type CommandGroup, option, commandOnRun, FOLLOW_LINKS_OPTION, serverCommand } from "#cli/command";

/** The commands for the files of a workspace. */
export const FILE_COMMANDS: CommandGroup = {
  heading: "Files:",
  commands: [
    commandOnRun({
      usage: "upload [paths...]",
      summary: "Put files and folders into a workspace",
      description:
        "Upload files and folders into a workspace. Without arguments, upload the declared inputs.",
      options: [option("--to <folder>", "the folder of the workspace to put them into"), FOLLOW_LINKS_OPTION],
      load: async () => (await import("#cli/files/upload")).upload,
    }),
    commandOnRun({
      usage: "download [paths...]",
      summary: "Fetch files and folders from a workspace",
      description:
        "Download files, folders, or the matches of patterns. Without arguments, download the declared outputs.",
      options: [
        option("-o, --output <folder>", "the folder to download into (default: this folder)"),
        FOLLOW_LINKS_OPTION,
      ],
      load: async () => (await import("#cli/files/download")).download,
    }),
    commandOnRun({
      usage: "ls [pattern]",
      summary: "List the files of a workspace",
      description:
        "List the files of a workspace: all files, the files in a folder, or the files that match a pattern.",
      load: async () => (await import("#cli/files/files")).listFiles,
    }),
    serverCommand({
      usage: "origin <path>",
      summary: "Show which run and step made a file",
      description:
        "Show which run and step made a file. The server compares the content of the file with the outputs of runs, " +
        "so the file may have another name or place now. For a folder, list the origin of each file.",
      load: async () => (await import("#cli/files/origin/origin")).origin,
    }),
    commandOnRun({
      usage: "mv <source> <target>",
      summary: "Move files inside a workspace",
      description: "Move files inside a workspace, as mv does.",
      load: async () => (await import("#cli/files/files")).moveFiles,
    }),
    commandOnRun({
      usage: "rm <paths...>",
      summary: "Delete files and folders from a workspace",
      description:
        "Delete files, folders, or the matches of patterns from a workspace. Asks first at a terminal.",
      options: [option("-y, --yes", "do not ask")],
      load: async () => (await import("#cli/files/files")).deleteFiles,
    }),
    commandOnRun({
      usage: "du [patterns...]",
      summary: "Show the disk space that a workspace uses",
      description: "Show the disk space that the files of a workspace use.",
      options: [option("-s, --summarize", "only the total")],
      load: async () => (await import("#cli/files/files")).diskUsage,
    }),
    commandOnRun({
      usage: "publish-outputs [workflow]",
      summary: "Publish the outputs at their destination",
      description:
        "Publish the outputs of a finished workflow at the destination that its specification names, or those that are not there yet. Ends with 1 if some are not published.",
      load: async () => (await import("#cli/files/publish-outputs")).publishOutputs,
    }),
    commandOnRun({
      usage: "prune [workflow]",
      summary: "Delete the files that are not declared",
      description:
        "Delete all files of a workspace except the declared inputs and outputs. Asks first at a terminal.",
      options: [
        option("--dry-run", "list what would be deleted, and delete nothing"),
        option("--include-inputs", "also delete the declared inputs"),
        option("--include-outputs", "also delete the declared outputs"),
        option("-y, --yes", "do not ask"),
      ],
      load: async () => (await import("#cli/files/prune")).prune,
    }),
  ],
};
