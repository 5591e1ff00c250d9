import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";

const FAKE = path.join(import.meta.dirname, "fake-jupyter.js");

/** Writes a stand-in for `jupyter-lab` into the folder, and returns its path. */
export async function standInForJupyter(folder: string): Promise<string> {
  const program = path.join(folder, "jupyter-lab");
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${FAKE}' "$@"\n`);
  await chmod(program, 0o755);
  return program;
}
