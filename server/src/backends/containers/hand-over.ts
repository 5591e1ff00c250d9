import process from "node:process";
import { runProgram } from "#backends/containers/run-program";

/**
 * Returns the words that hand the files of a job over to this server's user. The user of the container, who has no name on
 * this machine, owns nothing in the workspace but what the job has made. `chown` follows no link, even if another process
 * puts one in the place of a folder at that moment.
 */
export function handOverWords(workspaceFolder: string, user: number): readonly [string, ...string[]] {
  const server = `${process.geteuid?.()}:${process.getegid?.()}`;
  return ["chown", "--recursive", "--no-dereference", `--from=${user}`, "--", server, workspaceFolder];
}

const TIMEOUT_MS = 600_000;

/** Hands over the files of a job that was killed together with the shell that does so (container-job.sh). */
export async function handOver(workspaceFolder: string, user: number): Promise<void> {
  // It fails for files that another job removes at that moment.
  await runProgram(handOverWords(workspaceFolder, user), { timeoutMs: TIMEOUT_MS });
}
