import { createWriteStream } from "node:fs";
import { readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CommandError } from "#cli/failure";
import { systemClock } from "#plumbing/clock";
import { codeOf } from "#plumbing/errors";
import { systemRandom } from "#plumbing/ids";

const PART = ".part";
const LEFT_AFTER_MS = 3_600_000;

/**
 * Writes a file, completely or not at all, and returns its size. A file of that name is replaced; a link is replaced by
 * the file, so that nothing is written where it leads.
 */
export async function saveFile(
  file: string,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<number> {
  const hidden = `.${path.basename(file)}.`;
  await removeLeftParts(path.dirname(file), hidden);
  const part = path.join(path.dirname(file), `${hidden}${systemRandom.uuid()}${PART}`);
  let bytes = 0;
  try {
    await pipeline(
      Readable.from(content, { objectMode: false }),
      async function* count(chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          bytes += chunk.length;
          yield chunk;
        }
      },
      createWriteStream(part, { flags: "wx" }),
    );
    await rename(part, file);
    return bytes;
  } catch (error) {
    await rm(part, { force: true });
    if (["ENOENT", "ENOTDIR", "EACCES", "EISDIR", "EROFS"].includes(codeOf(error) ?? ""))
      throw new CommandError(
        `${file} cannot be written: ${inWords(codeOf(error)!)} Name another file with -o.`,
        {
          cause: error,
        },
      );
    throw error;
  }
}

/** Removes parts of the file that killed commands have left: parts without a change for an hour. */
async function removeLeftParts(folder: string, hidden: string): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    // The write of the file then says what is wrong with its folder.
    if (codeOf(error) !== undefined) return [];
    throw error;
  });
  for (const name of names.filter((one) => one.startsWith(hidden) && one.endsWith(PART))) {
    const left = await stat(path.join(folder, name)).catch((error: unknown) => {
      // Another command may have removed or renamed its own part.
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    });
    if (left && left.mtimeMs < systemClock.now() - LEFT_AFTER_MS)
      await rm(path.join(folder, name), { force: true });
  }
}

function inWords(errorCode: string): string {
  switch (errorCode) {
    case "ENOENT":
    case "ENOTDIR":
      return "its folder does not exist.";
    case "EISDIR":
      return "it is a folder.";
    default:
      return "its folder does not allow it.";
  }
}
