import { explainingLine } from "../explaining-line.ts";
import type { LogText } from "./log-text.ts";

/** Decodes one character for each byte, so that offsets in the text are offsets in the log. */
const bytesAsText = new TextDecoder("latin1");
const BLOCK_BYTES = 1 << 19;
/** Limit on matches: nobody steps through more. */
const MAX_MATCHES = 10_000;

/** Yields the lines that contain the text, ignoring case, in order: one list for each block of the log. */
export function* linesWith(log: LogText, text: string): Generator<readonly number[]> {
  const wanted = bytesAsText.decode(new TextEncoder().encode(text)).toLowerCase();
  if (wanted === "") return;
  let [count, last] = [0, -1];
  for (const { start, bytes } of log.blocks(BLOCK_BYTES)) {
    const block = bytesAsText.decode(bytes).toLowerCase();
    const found: number[] = [];
    for (let at = block.indexOf(wanted); at !== -1; at = block.indexOf(wanted, at + 1)) {
      const line = log.lineAt(start + at);
      if (line === last) continue;
      found.push(line);
      last = line;
      count += 1;
      if (count === MAX_MATCHES) break;
    }
    yield found;
    if (count === MAX_MATCHES) return;
  }
}

/** A failure is explained near the end of a log. */
const LOOKED_AT = 400;

export function lineOfError(log: LogText): number | undefined {
  return explainingLine(log.lines, (index) => log.line(index), Math.max(0, log.lines - LOOKED_AT));
}
