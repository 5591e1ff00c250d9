import { expect, test } from "vitest";
import { piecesOf } from "./ansi.ts";

const ESC = "\u001b";
const texts = (line: string) => piecesOf(line).map(({ text, className }) => [text, className]);

test.each([
  ["plain", [["plain", ""]]],
  [
    `${ESC}[31mred${ESC}[0m and not`,
    [
      ["red", "text-bad"],
      [" and not", ""],
    ],
  ],
  [
    `${ESC}[1;32mbold green${ESC}[39m bold`,
    [
      ["bold green", "font-semibold text-good"],
      [" bold", "font-semibold"],
    ],
  ],
  [`${ESC}]0;title\u0007shown`, [["shown", ""]]],
  [`${ESC}[2Kcleared`, [["cleared", ""]]],
  ["10 %\r90 %\r100 %", [["100 %", ""]]],
  ["a\u0000b", [["a\ufffdb", ""]]],
] as const)("%j", (line, pieces) => {
  expect(texts(line)).toEqual(pieces);
});
