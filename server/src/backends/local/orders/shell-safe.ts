import type { JobRequest } from "#backends/backend";
import { printable } from "#plumbing/text/printable";
import { isPlainPath } from "#plumbing/files/relative-path";
import type { Command, Job } from "#workflow/job/job";

/** The names that bash accepts for a variable. */
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Refuses what cannot be expressed in shell, before anything is started. */
export function checkShellSafe({ job }: JobRequest): void {
  checkCommand(job.command);
  checkPaths(job);
  if (job.image?.includes("\0"))
    throw new Error(
      `"${printable(job.image, 200)}" cannot be the name of an image: it holds a NUL character.`,
    );
  for (const [name, value] of Object.entries(job.environment)) {
    if (!VARIABLE_NAME.test(name))
      throw new Error(`"${name}" cannot be the name of an environment variable.`);
    if (value.includes("\0")) throw new Error(`The environment variable ${name} holds a NUL character.`);
  }
}

function checkCommand(command: Command): void {
  const words = "argv" in command ? command.argv : [command.script];
  if (words.some((word) => word.includes("\0"))) throw new Error("The command holds a NUL character.");
  // Invalid Unicode is replaced in a script. An argument must arrive as it is.
  const isExact = "script" in command || words.every((word) => word.isWellFormed());
  if (!isExact) throw new Error("An argument of the command is not valid Unicode.");
}

/** Refuses paths outside the workspace. open-files.sh refuses links that lead out. */
function checkPaths({ workingFolder, stdin, stdout, stderr }: Job): void {
  for (const [field, wanted] of Object.entries({ workingFolder, stdin, stdout, stderr })) {
    if (wanted === undefined) continue;
    const isInside = isPlainPath(wanted) && wanted.isWellFormed() && !wanted.includes("\0");
    if (!isInside)
      throw new Error(
        `The job's ${field} is "${printable(wanted, 200)}": it must be a path inside the workspace.`,
      );
  }
  const outputs = [stdout, stderr];
  if (stdin !== undefined && outputs.includes(stdin))
    throw new Error(`The job would empty the file that it reads: "${printable(stdin, 200)}".`);
}
