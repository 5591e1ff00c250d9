import { readFile } from "node:fs/promises";
import path from "node:path";

export const ROOT = path.join(import.meta.dirname, "..", "..", "..");

/** A fenced block of a Markdown file, with its surroundings. */
export interface Block {
  /** `docs/guides/first-analysis.md:12`, the line of the first line inside the fence. */
  readonly place: string;
  readonly language: string;
  readonly lines: readonly string[];
  /** The paragraph right before the block; empty if it follows a heading or another block. */
  readonly paragraph: string;
  /** The number in a comment `<!-- terminal 2 -->` right before the block; 1 without a comment. */
  readonly terminal: number;
}

const FENCE = /^(\s*)```(\w*)$/;
const TERMINAL = /^\s*<!-- terminal (\d+) -->$/;

export async function readBlocks(file: string): Promise<readonly Block[]> {
  return blocksOf(file, await readFile(path.join(ROOT, file), "utf8"));
}

/** Returns the fenced blocks of a text in order. A block in a list loses the indentation of its fence. */
export function blocksOf(file: string, text: string): readonly Block[] {
  const lines = text.split("\n");
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  let terminal = 1;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const fence = FENCE.exec(line);
    const comment = TERMINAL.exec(line);
    if (fence) {
      const end = lines.findIndex((other, index) => index > at && other === `${fence[1]}\`\`\``);
      if (end === -1) throw new Error(`${file}:${at + 1}: the fence is never closed`);
      const inside = lines.slice(at + 1, end).map((one) => one.slice(fence[1]!.length));
      const place = `${file}:${at + 2}`;
      blocks.push({ place, language: fence[2]!, lines: inside, paragraph: paragraph.join("\n"), terminal });
      at = end;
      paragraph = [];
      terminal = 1;
    } else if (comment) {
      terminal = Number(comment[1]);
    } else if (/^ {4,}\S/.test(line) && lines[at - 1] === "" && !paragraph.at(-1)?.startsWith("  ")) {
      throw new Error(`${file}:${at + 1}: an indented block; use a fence with a language`);
    } else if (line !== "") {
      paragraph = lines[at - 1] === "" || line.startsWith("#") ? [line] : [...paragraph, line];
    }
  }
  return blocks;
}
