import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Returns a function that frees the memory of unreachable objects. V8 first lets them grow to 256 MB: right for a server,
 * which has pauses, but a command that reads a large database for minutes would take that much.
 */
export function garbageCollector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}
