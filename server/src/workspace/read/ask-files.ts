import { buffer } from "node:stream/consumers";
import { Refusal } from "#plumbing/errors";
import { absent } from "#workspace/find/list-folder";
import { maybeOpen, type OpenFile } from "#workspace/read/open-file";

/** Returns the beginning of a file as text, and the size of the whole file. */
export async function readBeginning(
  folder: string,
  name: string,
  maxBytes: number,
): Promise<{ readonly text: string; readonly bytes: number }> {
  const file = await openFileOrRefuse(folder, name);
  const end = Math.min(file.bytes, maxBytes) - 1;
  const content = await buffer(file.stream({ start: 0, end }));
  return { text: content.subarray(0, maxBytes).toString("utf8"), bytes: file.bytes };
}

/** Returns the end of a file. */
export async function readEnd(folder: string, name: string, maxBytes: number): Promise<Buffer> {
  const file = await openFileOrRefuse(folder, name);
  return buffer(file.stream({ start: Math.max(0, file.bytes - maxBytes), end: file.bytes - 1 }));
}

export async function openFileOrRefuse(folder: string, name: string): Promise<OpenFile> {
  const opened = await maybeOpen(folder, name);
  if (!opened) throw absent(name);
  if (opened.kind === "folder") throw new Refusal("malformed", `${opened.path} is a folder and not a file.`);
  return opened.file;
}
