import process from "node:process";
import { runProgram } from "#backends/containers/run-program";

/**
 * Returns the command that hands the files of a job over to this server's user. The user of the container has
 * no name on this machine, and owns only the files in the workspace that the job has made. `chown` follows no
 * link, even if another process replaces a folder with a link at that moment.
 */
export function handOverWords(workspaceFolder: string, user: number): readonly [string, ...string[]] {
  const server = `${process.geteuid?.()}:${process.getegid?.()}`;
  return ["chown", "--recursive", "--no-dereference", `--from=${user}`, "--", server, workspaceFolder];
}

const TIMEOUT_MS = 600_000;

/** Hands over the files of a job that was killed together with the shell that does so (container-job.sh). */
export async function handOver(workspaceFolder: string, user: number): Promise<void> {
  // The command fails if another job removes a file at that moment.
  await runProgram(handOverWords(workspaceFolder, user), { timeoutMs: TIMEOUT_MS });
}
