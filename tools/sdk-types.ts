import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { schemaSource } from "../sdk/src/generate.ts";
import { ROOT } from "./project.ts";

const DOCUMENT = path.join(ROOT, "fixtures", "openapi.json");
const TYPES = path.join(ROOT, "sdk", "src", "schema.ts");

let written: Promise<void> | undefined;

/** Makes the types of the SDK from the OpenAPI document, once per process. Git does not track them. */
export function writeSdkTypes(): Promise<void> {
  written ??= write();
  return written;
}

/** Replaces a changed file by rename, because other processes may be reading the file. */
async function write(): Promise<void> {
  const text = await schemaSource(JSON.parse(await readFile(DOCUMENT, "utf8")) as object);
  if (existsSync(TYPES) && (await readFile(TYPES, "utf8")) === text) return;
  const draft = `${TYPES}.${process.pid}`;
  await writeFile(draft, text);
  await rename(draft, TYPES);
}
