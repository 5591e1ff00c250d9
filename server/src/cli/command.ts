import type { Action } from "#cli/call";

/** A command, as declared by its room. The code is loaded when the command is used. */
export interface CommandDeclaration {
  /** The name and the arguments: `logs [workflow]`. */
  readonly usage: string;
  /** The line in `reprise --help`. A command inside another has none. */
  readonly summary?: string;
  readonly description: string;
  /** The settings that can be given as options. */
  readonly settings: readonly string[] | "all";
  /** True if options name the server and the file with the token. */
  readonly namesServer: boolean;
  readonly options: readonly OptionDeclaration[];
  /** True if unknown options are arguments, and `--help` is an option that the command reads itself. */
  readonly takesAnyOption?: true;
  /** The variable whose words are put before the arguments. */
  readonly wordsFrom?: string;
  readonly load: () => Promise<Action>;
}

/** A command that only groups subcommands: `user`. */
export interface CommandFamily {
  readonly usage: string;
  readonly summary: string;
  readonly description: string;
  readonly commands: readonly CommandDeclaration[];
}

/** The commands under one heading of `reprise --help`, in display order. */
export interface CommandGroup {
  readonly heading: string;
  readonly commands: readonly (CommandDeclaration | CommandFamily)[];
}

export interface OptionDeclaration {
  readonly flags: string;
  readonly description: string;
  readonly isRepeatable: boolean;
}

export function option(flags: string, description: string): OptionDeclaration {
  return { flags, description, isRepeatable: false };
}

export function repeatableOption(flags: string, description: string): OptionDeclaration {
  return { flags, description, isRepeatable: true };
}

export const JSON_OPTION = option("--json", "print JSON");
export const ON_FAILURE_OPTION = option(
  "--on-failure <stop|finish>",
  "stop: the first failure ends the run; finish: independent steps still run (for steps that do not set on_failure)",
);
export const KEEP_OPTION = option(
  "--keep <all|outputs>",
  "outputs: remove the files that the run has made, except declared inputs and outputs, when it has finished",
);
/** For commands that read from or write to a folder. */
export const FOLLOW_LINKS_OPTION = option(
  "--follow-links",
  "also read and write through links that lead out of the folder (default: refuse them, since somebody else may have made the folder)",
);

type Details = Pick<CommandDeclaration, "usage" | "description" | "load"> & {
  readonly summary?: string;
  readonly options?: readonly OptionDeclaration[];
};

/** Declares a command that talks to a server. */
export function serverCommand({ options = [], ...details }: Details): CommandDeclaration {
  return {
    ...details,
    settings: ["dataFolder"],
    namesServer: true,
    options: [JSON_OPTION, ...options],
  };
}

/** Declares a command on one run of a server. */
export function commandOnRun({ options = [], ...details }: Details): CommandDeclaration {
  return serverCommand({ ...details, options: [WORKFLOW_OPTION, ...options] });
}

const WORKFLOW_OPTION = option("-w, --workflow <workflow>", "the workflow [REPRISE_WORKON, REANA_WORKON]");

/** Declares a command that works on the data folder. */
export function folderCommand({ options = [JSON_OPTION], ...details }: Details): CommandDeclaration {
  return { ...details, settings: ["dataFolder", "configFile"], namesServer: false, options };
}

/** Declares a command that needs neither a server nor a data folder. */
export function plainCommand({ options = [JSON_OPTION], ...details }: Details): CommandDeclaration {
  return { ...details, settings: [], namesServer: false, options };
}
