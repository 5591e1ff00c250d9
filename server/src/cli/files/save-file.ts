import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CommandError } from "#cli/failure";
import { codeOf } from "#plumbing/errors";
import { systemRandom } from "#plumbing/ids";

/**
 * Writes a file, completely or not at all, and returns its size. A file of that name is replaced; a link is replaced by
 * the file, so that nothing is written where it leads.
 */
export async function saveFile(
  file: string,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<number> {
  const part = path.join(path.dirname(file), `.${path.basename(file)}.${systemRandom.uuid()}.part`);
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
