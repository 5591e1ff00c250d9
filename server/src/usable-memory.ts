import os from "node:os";
import process from "node:process";

/**
 * How much memory this process and what it starts may use: what the machine has, or less in a container or a service
 * that was given a part of it. Node answers 0, or a number beyond any machine, where there is no such bound.
 */
export function usableMemoryBytes(
  machineBytes: number = os.totalmem(),
  boundBytes: number = process.constrainedMemory(),
): number {
  return boundBytes > 0 ? Math.min(machineBytes, boundBytes) : machineBytes;
}
