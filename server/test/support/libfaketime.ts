import { glob } from "node:fs/promises";

/** What is loaded before a program to give it another time than there is. */
export async function libfaketime(): Promise<string> {
  for await (const file of glob("/usr/lib/*/faketime/libfaketimeMT.so.1")) return file;
  throw new Error("This test needs libfaketime: apt-get install faketime.");
}
