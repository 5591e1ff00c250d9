import { createReadStream } from "node:fs";
import { StringDecoder } from "node:string_decoder";

/**
 * The lines of a file, one after the other and never all at once. Node's `readline` ends a line at some characters of
 * Unicode too, which stand in JSON as they are.
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
