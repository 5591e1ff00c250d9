import { readProc, signal, statFields } from "#backends/process/table/process-table";

/**
 * Asks a job to end, by SIGTERM to its process group. In the sandbox bwrap leads the group: bwrap would die
 * of the signal, and take the command along, without time to clean up. Therefore, in the sandbox the signal
 * goes to the session of the command, led by bwrap's child. Returns whether
 * any process was signalled.
 */
export function askToEnd(leader: number): boolean {
  return signal(-(maybeSessionBehind(leader) ?? leader), "SIGTERM");
}

/** Returns undefined if bwrap has not started its child's session: no command runs yet. */
function maybeSessionBehind(leader: number): number | undefined {
  if (!readProc(`/proc/${leader}/stat`)?.includes(" (bwrap) ")) return undefined;
  const child = Number(readProc(`/proc/${leader}/task/${leader}/children`)?.trim());
  const session = child > 0 ? statFields(child)?.[3] : undefined;
  return session === String(child) ? child : undefined;
}
