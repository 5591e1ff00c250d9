import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";

/** The folder whose `package.json` defines `#plumbing/…`. */
const SERVER_FOLDER = path.join(import.meta.dirname, "..", "..");
/** Node has 25 files open, and one more for each module that is being read. */
const DESCRIPTORS = 96;
/** Ends a process that waits for something that never happens, also after the end of the tests. */
const TIMEOUT_S = 30;

const PRELUDE = `
  import { closeSync, openSync } from "node:fs";
  const taken = [];
  /** Opens files until only a few file descriptors are free. */
  function takeDescriptors(left = 0) {
    try {
      for (;;) taken.push(openSync("/dev/null"));
    } catch {
      for (let count = 0; count < left; count += 1) closeSync(taken.pop());
    }
  }
  function giveBackDescriptors() {
    for (const fd of taken.splice(0)) closeSync(fd);
  }
  /** Returns what a promise became. */
  const outcomeOf = (promise) => promise.then((value) => ({ value }), (error) => ({ error: error.message }));
  const print = (result) => void process.stdout.write(JSON.stringify(result));
`;

/**
 * Runs code in a process of its own, because the files of the tests share one. The code may call `takeDescriptors`,
 * `giveBackDescriptors` and `outcomeOf`, finds `words` from `process.argv[1]` on, and calls `print` with its result, which is
 * returned. Rejects if an exception ends the process.
 */
export async function withFewDescriptors(code: string, ...words: readonly string[]): Promise<unknown> {
  const node = [process.execPath, "--input-type=module", "-e", PRELUDE + code, ...words];
  const limited = ["-c", `ulimit -n ${DESCRIPTORS}; exec timeout ${TIMEOUT_S} "$@"`, "bash", ...node];
  const { stdout } = await promisify(execFile)("bash", limited, { cwd: SERVER_FOLDER });
  return JSON.parse(stdout);
}
