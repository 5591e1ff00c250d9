import { readFile } from "node:fs/promises";

/** Returns the ids of the direct children of a process that starts children only on its main thread. */
export async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.split(" ").filter(Boolean).map(Number);
}
