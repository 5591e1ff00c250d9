import { createReadStream } from "node:fs";
import { StringDecoder } from "node:string_decoder";

/**
 * Yields the lines of a file from this byte on, never holding the whole file in memory. Node's `readline` also ends lines at some Unicode
 * characters that JSON leaves unescaped.
 */
export async function* linesOf(file: string, start = 0): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  const parts = createReadStream(file, { start, highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>;
  for await (const part of parts) {
    const lines = (rest + decoder.write(part)).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== "") yield rest;
}
