import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Block } from "./blocks.ts";

/**
 * Does in a checkout what a guide shows as code. A block of `ts` begins with a comment that names the file, and is the whole
 * file. A block of `diff` begins with `--- FILE`; `@@` separates its changes, and each has a place in the file by its context.
 */
export async function editCode(block: Block, checkout: string | undefined): Promise<void> {
  if (checkout === undefined) throw new Error(`${block.place}: there is no checkout for this code`);
  const [first, ...rest] = block.lines;
  const name = (block.language === "ts" ? /^\/\/ (\S+)$/ : /^--- (\S+)$/).exec(first ?? "")?.[1];
  if (name === undefined) throw new Error(`${block.place}: the first line does not name the file`);
  const file = path.join(checkout, name);
  if (block.language === "ts") {
    await mkdir(path.dirname(file), { recursive: true });
    return writeFile(file, `${block.lines.join("\n")}\n`);
  }
  let text = await readFile(file, "utf8");
  for (const change of changesOf(rest)) text = replaceLines(block.place, text, change);
  return writeFile(file, text);
}

function changesOf(lines: readonly string[]): readonly (readonly string[])[] {
  const ends = [...lines.keys()].filter((at) => lines[at] === "@@");
  return [-1, ...ends].map((start, index) => lines.slice(start + 1, ends[index]));
}

function replaceLines(place: string, text: string, change: readonly string[]): string {
  const side = (signs: string) =>
    change.filter((line) => signs.includes(line[0] ?? " ")).map((line) => `${line.slice(1)}\n`);
  const [before, after] = [side(" -").join(""), side(" +").join("")];
  const parts = `\n${text}`.split(`\n${before}`);
  if (parts.length !== 2) throw new Error(`${place}: found ${parts.length - 1} times, not once:\n${before}`);
  return parts.join(`\n${after}`).slice(1);
}
