import os from "node:os";
import process from "node:process";

/**
 * Returns the bytes of memory that this process and its children may use: the machine's, or less in a container or a
 * service with a limit. Without a limit, Node reports 0 or a number larger than any machine.
 */
export function usableMemoryBytes(
  machineBytes: number = os.totalmem(),
  boundBytes: number = process.constrainedMemory(),
): number {
  return boundBytes > 0 ? Math.min(machineBytes, boundBytes) : machineBytes;
}
