import { createReadStream } from "node:fs";
import { StringDecoder } from "node:string_decoder";

/**
 * Yields the lines of a file, never holding the whole file in memory. Node's `readline` also ends lines at some Unicode
 * characters that JSON leaves unescaped.
 */
export async function* linesOf(file: string): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const part of createReadStream(file, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    const lines = (rest + decoder.write(part)).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== "") yield rest;
}
