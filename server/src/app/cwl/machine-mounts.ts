import { readdir } from "node:fs/promises";

/** Returns a mount for each entry of the root folder: the files of a user's own documents may be anywhere. */
export async function machineMounts() {
  const names = await readdir("/");
  return names.map((name) => ({ path: `/${name}`, at: `/${name}`, mode: "read" as const }));
}
