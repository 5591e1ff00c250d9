import { stripVTControlCharacters } from "node:util";

/** Returns the text that stays on the screen: each return to the start of a line begins that line again. */
export function shownOnScreen(bytes: string): string {
  return bytes
    .replaceAll(/\r+\n/g, "\n")
    .split("\n")
    .map((line) => stripVTControlCharacters(line.slice(line.lastIndexOf("\r") + 1)))
    .join("\n");
}
