import type { IssuedJob } from "#operations/runs/verification/cause/issued-job";
import { shellQuote } from "#plumbing/text/shell-quote";
import type { Job } from "#workflow/job/job";
import type { StageEntry } from "#workflow/job/stage";

/** A command as a repetition runs it. */
export interface RepeatedCommand {
  /** Shell lines that put the files of the command in place. They run in the copy of the workspace. */
  readonly prepares: readonly string[];
  /** Words of the command, quoted for a shell. */
  readonly words: readonly string[];
  /** Variables that the job itself sets, as `name=value`, quoted for a shell. */
  readonly environment: readonly string[];
  /** Redirections, such as `> out.txt`. Their paths are relative to the workspace. */
  readonly redirects: { readonly stdin?: string; readonly stdout?: string; readonly stderr?: string };
  /** Folder in which the command starts, relative to the workspace. */
  readonly folder: string;
  readonly successCodes: readonly number[];
}

/** Returns the command of a serial step. */
export function serialCommand(command: string): RepeatedCommand {
  const words = ["bash", "-c", shellQuote(command)];
  return { prepares: [], words, environment: [], redirects: {}, folder: ".", successCodes: [0] };
}

/**
 * Returns the command of an issued job, for a workspace at the path that the shell variable `w` holds. What the job has
 * left is removed first, so that the job finds the files of its start.
 */
export function issuedCommand(
  { job, workspaceFolder }: IssuedJob,
  files: readonly string[],
): RepeatedCommand {
  const quoted = (text: string) => text.split(workspaceFolder).map(shellQuote).join('"$w"');
  const argv = "argv" in job.command ? job.command.argv : ["bash", "-c", job.command.script];
  const { workingFolder = ".", successCodes = [0], stdin, stdout, stderr } = job;
  const own = job.collect?.folder;
  const left = [...(own ? [own] : []), ...files];
  return {
    prepares: [
      `rm -rf -- ${left.map((path) => shellQuote(`./${path}`)).join(" ")}`,
      ...(job.stage ?? []).flatMap((entry) => stagingOf(entry, quoted)),
    ],
    words: argv.map(quoted),
    environment: Object.entries(job.environment).map(([name, value]) => `${name}=${quoted(value)}`),
    redirects: {
      ...(stdin !== undefined && { stdin }),
      ...(stdout !== undefined && { stdout }),
      ...(stderr !== undefined && { stderr }),
    },
    folder: workingFolder,
    successCodes,
  };
}

/** Puts one file or folder in place. The copy of the workspace has the entries of the job that was repeated. */
function stagingOf(entry: StageEntry, quoted: (text: string) => string): string[] {
  const at = shellQuote(`./${entry.at}`);
  if ("folder" in entry) return [`mkdir -p -- ${at}`];
  const begin = `mkdir -p -- "$(dirname -- ${at})"; rm -rf -- ${at}`;
  if ("text" in entry) {
    const mode = entry.isExecutable ? `; chmod +x -- ${at}` : "";
    return [`${begin}; printf %s ${quoted(entry.text)} > ${at}${mode}`];
  }
  const source = "link" in entry ? entry.link : entry.copy;
  const from = source.startsWith("/") ? quoted(source) : `"$w"/${shellQuote(source)}`;
  return [`${begin}; ${"link" in entry ? "ln -s" : "cp -pR"} -- ${from} ${at}`];
}

/** True if the job needs nothing that a repetition cannot give: files outside of the workspace, or a ticket. */
export function canRepeat({ mounts = [], kerberos, vomsProxy, rucio, backend }: Job): boolean {
  return mounts.length === 0 && !kerberos && !vomsProxy && !rucio && backend === undefined;
}
