/**
 * Returns a command for people: with paths from the workspace, and from the job's own folders if the engine made some
 * for it. `python /data/workspaces/7c…/code/fit.py` becomes `python code/fit.py`. Not for execution.
 */
export function shownCommand(command: string, { workspaceFolder, key }: CommandPlace): string {
  const [first = "", ...rest] = command.split(workspaceFolder);
  const fromWorkspace = first + rest.map(fromThere).join("");
  return fromWorkspace.replaceAll(JOB_FOLDER, (path, job: string) => (job === key ? "" : path));
}

export interface CommandPlace {
  readonly workspaceFolder: string;
  /** Key of the job. CWL derives folder names from the key. */
  readonly key: string;
}

/** A path in a folder that CWL made for a job: `cwl/1/fit/6/out/fit.json`. */
const JOB_FOLDER = /\bcwl\/[\d.]+\/(\S+?)(?:~\d+)?\/(?:in|out|tmp)\//g;

/** Leaves out the slash if a name follows. The workspace itself is `.`. */
function fromThere(after: string): string {
  return /^\/[^\s/'"]/.test(after) ? after.slice(1) : `.${after}`;
}
