import { constants, type FileHandle, open } from "node:fs/promises";
import { codeOf, Refusal } from "#plumbing/errors";
import { refusalOf } from "#workspace/write/write-file";
import { cleanPath, closing, InTheWay, maybeOpenRoot, walkToParent } from "#workspace/safe-path";

interface NumberedLines {
  /** The number of the first line; the others follow. */
  readonly first: number;
  readonly lines: readonly string[];
}

/** Never follows a link, never waits for the other end of a pipe. */
const OPEN =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const MODE = 0o666;
/** Limit on a line. Reading this many bytes of the tail always finds the last number. */
const LINE_MAX_BYTES = 1 << 16;

/**
 * Appends lines with their numbers in front. Lines with numbers already in the file are left out, so
 * repeating a request after a crash is safe. A line truncated by a crash stays in the file, and readers
 * ignore it.
 */
export async function appendLines(
  folder: string,
  name: string,
  { first, lines }: NumberedLines,
): Promise<void> {
  const clean = cleanPath(name);
  try {
    const root = await maybeOpenRoot(folder);
    if (!root) throw new InTheWay("absent", clean);
    const { parent, name: last } = await walkToParent(root, clean);
    await closing(parent, async () => {
      const handle = await open(parent.at(last), OPEN, MODE);
      await closing(handle, () => appendMissing(handle, clean, { first, lines }));
    });
  } catch (error) {
    if (codeOf(error) === "ELOOP" || codeOf(error) === "ENXIO")
      throw new Refusal("malformed", `${clean} is not a file that lines can be appended to.`, {
        cause: error,
      });
    throw refusalOf(error, clean);
  }
}

async function appendMissing(
  handle: FileHandle,
  name: string,
  { first, lines }: NumberedLines,
): Promise<void> {
  const stat = await handle.stat();
  if (!stat.isFile()) throw new Refusal("malformed", `${name} is not a file that lines can be appended to.`);
  const tail = await tailOf(handle, stat.size);
  const isCutOff = stat.size > 0 && !tail.endsWith("\n");
  const there = lastNumber(tail);
  const missing = lines.flatMap((line, index) =>
    first + index > there ? [`${first + index} ${line}\n`] : [],
  );
  if (missing.length > 0) await handle.appendFile((isCutOff ? "\n" : "") + missing.join(""));
}

async function tailOf(handle: FileHandle, bytes: number): Promise<string> {
  const length = Math.min(bytes, LINE_MAX_BYTES * 2);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, bytes - length);
  return buffer.toString("utf8", 0, bytesRead);
}

/** Returns the number of the last whole, numbered line; 0 if there is no such line. */
function lastNumber(tail: string): number {
  const whole = tail.slice(0, tail.lastIndexOf("\n") + 1).split("\n");
  const last = whole.findLast((line) => /^[1-9]\d{0,14} /.test(line));
  return last === undefined ? 0 : Number(last.split(" ", 1)[0]);
}
