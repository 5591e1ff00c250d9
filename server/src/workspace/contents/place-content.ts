import { chmod, open } from "node:fs/promises";
import { modeOf } from "#plumbing/files/file-mode";
import { copyContents } from "#workspace/write/copy-contents";
import { writeWith, type WriteOptions } from "#workspace/write/write-file";

/** A file of the content store. */
export interface PlacedContent {
  readonly file: string;
  readonly bytes: number;
  readonly signal: AbortSignal;
}

/** Copies a stored content into a workspace, completely or not at all. A clone shares its blocks until one is changed. */
export function placeContent(
  options: WriteOptions,
  name: string,
  { file, bytes, signal }: PlacedContent,
): Promise<{ path: string; bytes: number }> {
  return writeWith(options, name, async (incoming) => {
    await copyContents(file, incoming, { bytes, signal });
    await chmod(incoming, modeOf(false));
    if (!options.fsync) return bytes;
    const handle = await open(incoming, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    return bytes;
  });
}
