import { glob } from "node:fs/promises";

/** Returns the path of the preloadable library that changes the time of a program. */
export async function libfaketime(): Promise<string> {
  for await (const file of glob("/usr/lib/*/faketime/libfaketimeMT.so.1")) return file;
  throw new Error("This test needs libfaketime: apt-get install faketime.");
}
