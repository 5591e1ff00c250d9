import { once } from "node:events";
import { PassThrough, type Readable } from "node:stream";
import { ZipFile } from "yazl";
import { maybeOpen } from "#workspace/open-file";

/** From here on sizes need the 64-bit form, which has to be chosen before a file's first byte. */
const ZIP64_FROM_BYTES = 0xf000_0000;

/**
 * A zip of these files, made while it is read: one file is open at a time. One that vanished meanwhile, or turned into
 * a link, is left out; whatever else goes wrong breaks the stream off, so that nobody takes a part for the whole.
 */
export function zipStream(folder: string, names: readonly string[]): Readable {
  const zip = new ZipFile();
  const output = new PassThrough({ highWaterMark: 1 << 20 });
  zip.on("error", (error) => output.destroy(error));
  zip.outputStream.on("error", (error) => output.destroy(error)).pipe(output);
  addAll(zip, output, folder, names).catch((error: Error) => output.destroy(error));
  return output;
}

async function addAll(zip: ZipFile, output: PassThrough, folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    if (output.destroyed) return;
    const opened = await openUnlessGone(folder, name);
    if (opened?.kind !== "file") continue;
    const { file } = opened;
    const content = file.stream();
    // The reader may have left: a file that nobody reads on must not stay open.
    const leave = () => void content.destroy();
    output.once("close", leave);
    zip.addReadStream(content, name, {
      mtime: new Date(file.modifiedAtMs),
      forceZip64Format: file.bytes >= ZIP64_FROM_BYTES,
    });
    await once(content, "close");
    output.off("close", leave);
  }
  zip.end();
}

async function openUnlessGone(folder: string, name: string) {
  try {
    return await maybeOpen(folder, name);
  } catch (error) {
    if ((error as { kind?: string }).kind === "malformed") return undefined; // a link by now
    throw error;
  }
}
