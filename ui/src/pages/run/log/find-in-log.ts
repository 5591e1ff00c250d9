import { explainingLine } from "../explaining-line.ts";
import type { LogText } from "./log-text.ts";

/** One character for each byte, so that places in the text are places in the log. */
const bytesAsText = new TextDecoder("latin1");
const BLOCK_BYTES = 1 << 20;
/** More matches than anybody steps through. */
const MAX_MATCHES = 10_000;

/** Returns the lines that contain the text, in any case, from the first on. */
export function linesWith(log: LogText, text: string): readonly number[] {
  const wanted = bytesAsText.decode(new TextEncoder().encode(text)).toLowerCase();
  const found: number[] = [];
  if (wanted === "") return found;
  for (const { start, bytes } of log.blocks(BLOCK_BYTES)) {
    const block = bytesAsText.decode(bytes).toLowerCase();
    for (let at = block.indexOf(wanted); at !== -1; at = block.indexOf(wanted, at + 1)) {
      const line = log.lineAt(start + at);
      if (found.at(-1) !== line) found.push(line);
      if (found.length === MAX_MATCHES) return found;
    }
  }
  return found;
}

/** A failure is explained near the end of a log. */
const LOOKED_AT = 400;

export function lineOfError(log: LogText): number | undefined {
  return explainingLine(log.lines, (index) => log.line(index), Math.max(0, log.lines - LOOKED_AT));
}
