import type { Writable } from "node:stream";

/** Maximum length of joined texts in characters. */
const PIECE_CHARACTERS = 65_536;

/**
 * Returns a function that writes texts to a stream. While the reader is slow, they wait in large pieces: if a million
 * single lines wait, Node's next write fails with EINVAL, and the rest of the output is lost. Texts for a reader who has
 * gone are dropped.
 */
export function patientWriter(stream: Writable): (text: string) => void {
  const waiting: string[] = [];
  let isGone = false;
  stream.on("error", () => {
    isGone = true;
    waiting.length = 0;
  });
  stream.on("drain", () => {
    while (waiting.length > 0 && !stream.writableNeedDrain) stream.write(waiting.shift());
  });
  return (text) => {
    if (isGone) return;
    const last = waiting.at(-1);
    if (!stream.writableNeedDrain && last === undefined) stream.write(text);
    else if (last === undefined || last.length >= PIECE_CHARACTERS) waiting.push(text);
    else waiting[waiting.length - 1] = last + text;
  };
}
