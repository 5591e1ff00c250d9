import { type CommandGroup, plainCommand } from "#cli/command";
import { FILE_COMMANDS } from "#cli/files/commands";
import { RUN_COMMANDS } from "#cli/runs/commands";
import { SERVER_COMMANDS } from "#cli/server/commands";
import { SHARING_COMMANDS } from "#cli/sharing/commands";
import { USER_COMMANDS } from "#cli/users/commands";

const OTHER_COMMANDS: CommandGroup = {
  heading: "Other:",
  commands: [
    plainCommand({
      usage: "completion <shell>",
      summary: "Print a completion script for bash, zsh or fish",
      description: "Print a completion script for bash, zsh or fish.",
      options: [],
      load: async () => (await import("#cli/completion")).completion,
    }),
    plainCommand({
      usage: "version",
      summary: "Print the version",
      description: "Print the version.",
      load: async () => (await import("#cli/version")).version,
    }),
  ],
};

/** All commands, in the order of `reprise --help`. Each group is declared in the folder of its code. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  RUN_COMMANDS,
  FILE_COMMANDS,
  SHARING_COMMANDS,
  SERVER_COMMANDS,
  USER_COMMANDS,
  OTHER_COMMANDS,
];
