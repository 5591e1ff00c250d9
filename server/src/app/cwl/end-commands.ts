import { readdirSync, readlinkSync } from "node:fs";
import { readProc, signal } from "#backends/process/table/process-table";
import { codeOf } from "#plumbing/errors";

/**
 * Kills the commands that a runtime has started, and returns whether there were any. `podman build` then
 * fails and removes its working container. A signal to podman itself would leave the container behind.
 */
export function endCommandsOf(runtime: number): boolean {
  const program = programOf(runtime);
  // The runtime starts itself again around each command.
  const commands = descendantsOf(runtime).filter((pid) => ![program, undefined].includes(programOf(pid)));
  return commands.map((pid) => signal(pid, "SIGKILL")).includes(true);
}

function descendantsOf(pid: number): readonly number[] {
  const children = threadsOf(pid).flatMap((thread) => {
    const listed = readProc(`/proc/${pid}/task/${thread}/children`) ?? "";
    return listed.split(" ").filter(Boolean).map(Number);
  });
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

/** Any thread may have started a process. Returns none if the process has ended, or on a machine without /proc. */
function threadsOf(pid: number): readonly string[] {
  return unlessGone(() => readdirSync(`/proc/${pid}/task`)) ?? [];
}

function programOf(pid: number): string | undefined {
  return unlessGone(() => readlinkSync(`/proc/${pid}/exe`));
}

function unlessGone<Found>(look: () => Found): Found | undefined {
  try {
    return look();
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}
