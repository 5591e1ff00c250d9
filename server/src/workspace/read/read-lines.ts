import { Refusal } from "#plumbing/errors";
import { maybeOpen } from "#workspace/read/open-file";

/** Whole lines of an append-only file. */
export interface ReadLines {
  readonly lines: readonly string[];
  /** The position after the last line. */
  readonly to: number;
}

const NEWLINE = 0x0a;

/** Returns the whole lines behind a position. A line that is still being written is left for later. */
export async function readLines(
  folder: string,
  name: string,
  { from, maxBytes }: { readonly from: number; readonly maxBytes: number },
): Promise<ReadLines> {
  const opened = await maybeOpen(folder, name);
  if (!opened) return { lines: [], to: from };
  if (opened.kind === "folder") throw new Refusal("malformed", `${name} is a folder and not a file.`);
  const { file } = opened;
  try {
    if (file.bytes < from)
      throw new Refusal("malformed", `${name} was cut: it had ${from} bytes and has ${file.bytes}.`);
    if (file.bytes === from) return { lines: [], to: from };
    const buffer = Buffer.alloc(Math.min(file.bytes - from, maxBytes));
    const content = buffer.subarray(0, await file.read(buffer, from));
    const end = content.lastIndexOf(NEWLINE);
    if (end === -1 && content.length === maxBytes)
      throw new Refusal("too-large", `${name} has a line of more than ${maxBytes} bytes.`);
    if (end === -1) return { lines: [], to: from };
    return { lines: content.subarray(0, end).toString("utf8").split("\n"), to: from + end + 1 };
  } finally {
    await file.close();
  }
}
