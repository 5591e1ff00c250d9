import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type FileRecord, headOf, readFileRecords } from "#plumbing/files/file-records";

async function* pieces(body: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (let index = 0; at < body.length; index += 1) {
    const end = at + (sizes[index % sizes.length] ?? body.length);
    yield body.subarray(at, end);
    at = end;
  }
}

async function read(
  body: string | Buffer,
  sizes: readonly number[] = [],
  maxBytes = 100,
): Promise<FileRecord[]> {
  const found: FileRecord[] = [];
  for await (const one of readFileRecords(pieces(Buffer.from(body as string), sizes), maxBytes))
    found.push(one);
  return found;
}

function joined(files: readonly FileRecord[]): Buffer {
  return Buffer.concat(
    files.flatMap(({ name, content, isExecutable }) => [headOf(name, content.length, isExecutable), content]),
  );
}

describe("many files in a single body", () => {
  test("come out as they went in, however the body is cut", async () => {
    const file = fc.record({
      name: fc.string({ unit: "binary" }),
      content: fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
      isExecutable: fc.boolean(),
    });
    const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(fc.array(file), sizes, async (files, cuts) => {
        expect(await read(joined(files), cuts)).toEqual(files);
      }),
    );
  });

  test.each([
    ["no line", "abc", "The body ends in the middle of a file."],
    ["no JSON", "abc\n", 'Before each file a line like {"name": "data/1.txt", "bytes": 3} is expected.'],
    ["null", "null\n", "Before each file a line"],
    ["no name", '{"bytes": 1}\nx', "Before each file a line"],
    ["a length below nothing", '{"name": "a", "bytes": -1}\n', "Before each file a line"],
    ["a length that is none", '{"name": "a", "bytes": 1.5}\n', "Before each file a line"],
    ["a line without end", "x".repeat(40_000), "Before each file a line"],
    ["fewer bytes than were said", '{"name": "a", "bytes": 3}\nxy', "The body ends in the middle of a file."],
    [
      "more than may be",
      '{"name": "a", "bytes": 101}\n',
      "A file of more than 100 bytes must be uploaded alone.",
    ],
  ])("refused: %s", async (_name, body, sentence) => {
    await expect(read(body, [1000])).rejects.toThrow(sentence);
  });

  test("files before a malformed one have been returned when it is found", async () => {
    const found: string[] = [];
    const reading = (async () => {
      const body = `${headOf("a", 1, false).toString()}x{}\n`;
      for await (const { name } of readFileRecords(pieces(Buffer.from(body), [7]), 100)) found.push(name);
    })();
    await expect(reading).rejects.toThrow("Before each file");
    expect(found).toEqual(["a"]);
  });
});
