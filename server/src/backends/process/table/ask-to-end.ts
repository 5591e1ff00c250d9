import { readProc, signal, statFields } from "#backends/process/table/process-table";

/**
 * Asks a job to end, by SIGTERM to its process group. In the sandbox bwrap leads that group: it would die of the signal,
 * and take the command along, without its time to clean up. There the signal goes to the session of the command, which
 * bwrap's child leads. keeper-end.sh has the same rule. Returns whether there was anything to signal.
 */
export function askToEnd(leader: number): boolean {
  return signal(-(maybeSessionBehind(leader) ?? leader), "SIGTERM");
}

/** Returns nothing if bwrap has not come that far: then no command runs. */
function maybeSessionBehind(leader: number): number | undefined {
  if (!readProc(`/proc/${leader}/stat`)?.includes(" (bwrap) ")) return undefined;
  const child = Number(readProc(`/proc/${leader}/task/${leader}/children`)?.trim());
  const session = child > 0 ? statFields(child)?.[3] : undefined;
  return session === String(child) ? child : undefined;
}
