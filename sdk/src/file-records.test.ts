import { describe, expect, test } from "vitest";
import { joinRecords, recordsIn } from "./file-records.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const FILES = [
  { name: "a/é.txt", content: bytes("one\ntwo\n"), isExecutable: true },
  { name: "empty", content: bytes(""), isExecutable: false },
  { name: "b", content: bytes("{}".repeat(500)), isExecutable: false },
];

async function* inPiecesOf(size: number, body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size);
}

/** Returns the contents as text, because a content is valid only until the next one is requested. */
async function read(body: AsyncIterable<Uint8Array>): Promise<[string, string, boolean][]> {
  const files: [string, string, boolean][] = [];
  for await (const { name, content, isExecutable } of recordsIn(body)) {
    files.push([name, new TextDecoder().decode(content), isExecutable]);
  }
  return files;
}

describe("files of a single body", () => {
  const body = joinRecords(FILES);
  const all = FILES.map(({ name, content, isExecutable }) => [
    name,
    new TextDecoder().decode(content),
    isExecutable,
  ]);

  test.for([1, 2, 3, 7, 64, 100_000])("records arrive in pieces of %i bytes", async (size) => {
    expect(await read(inPiecesOf(size, body))).toEqual(all);
  });

  test("an incomplete line is ignored, wherever it is cut", async () => {
    const lastOnes = [];
    for (let cut = 0; cut <= body.length; cut += 1) {
      lastOnes.push((await read(inPiecesOf(50, body.subarray(0, cut)))).length);
    }
    expect(lastOnes).toEqual(lastOnes.toSorted((a, b) => a - b));
    expect(lastOnes.at(0)).toBe(0);
    expect(lastOnes.at(-2)).toBe(2);
    expect(lastOnes.at(-1)).toBe(3);
  });

  test("anything else is refused", async () => {
    await expect(read(inPiecesOf(10, bytes("<html>\n</html>\n")))).rejects.toThrow(SyntaxError);
  });
});
