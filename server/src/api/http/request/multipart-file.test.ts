import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { writeFilePart } from "#api/http/request/multipart-file";
import { Refusal } from "#plumbing/errors";

const HEADERS = { "content-type": "multipart/form-data; boundary=b" };

function part(name: string, content: string, fileName?: string): string {
  const file = fileName === undefined ? "" : `; filename="${fileName}"`;
  return `--b\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${content}\r\n`;
}

/** Returns the stored content: an aborted write stores no content. */
async function received(
  body: string,
  headers: Record<string, string> = HEADERS,
  chunkBytes = 7,
): Promise<string[]> {
  const kept: string[] = [];
  const bytes = Buffer.from(body);
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, index) =>
    bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes),
  );
  await writeFilePart(headers, Readable.from(chunks, { objectMode: false }), async (content) => {
    kept.push((await buffer(content)).toString());
  });
  return kept;
}

describe("the file of a form", () => {
  test.each([
    ["the part file_content", part("file_content", "yes", "a.txt"), "yes"],
    ["the part file_content without a file name", part("file_content", "yes"), "yes"],
    ["the only file part", part("note", "no") + part("upload", "yes", "a.txt"), "yes"],
    ["file_content after another file", part("x", "no", "a") + part("file_content", "yes", "b"), "yes"],
    ["file_content before another file", part("file_content", "yes", "b") + part("x", "no", "a"), "yes"],
    [
      "the first of two file_content",
      part("file_content", "yes", "a") + part("file_content", "no", "b"),
      "yes",
    ],
    ["an empty file", part("file_content", "", "a"), ""],
    [
      "what looks almost like a boundary",
      part("file_content", "\r\n--c\r\n--\r\n", "a"),
      "\r\n--c\r\n--\r\n",
    ],
  ])("is %s", async (_, parts, expected) => {
    expect(await received(`${parts}--b--\r\n`)).toEqual([expected]);
  });

  test.each([
    ["no part at all", "--b--\r\n", /holds no file/],
    ["no file part", `${part("note", "no")}--b--\r\n`, /holds no file/],
    ["several files", `${part("x", "1", "a") + part("y", "2", "b")}--b--\r\n`, /several files/],
    ["too many parts", `${part("x", "").repeat(101)}--b--\r\n`, /more than 100 parts/],
    ["cut short in the file", part("file_content", "half", "a"), /cannot be read/],
    ["cut short in a header", '--b\r\nContent-Disposition: form-data; name="file_c', /cannot be read/],
    ["cut short after the file", `${part("file_content", "whole", "a")}--b`, /cannot be read/],
    ["empty", "", /cannot be read/],
  ])("is refused: %s", async (_, body, message) => {
    const upload = received(body);
    await expect(upload).rejects.toThrow(message);
    await expect(upload).rejects.toBeInstanceOf(Refusal);
  });

  test.each([["multipart/form-data"], ["multipart/mixed; boundary=b"]])(
    "is refused: %s",
    async (contentType) => {
      await expect(received("--b--\r\n", { "content-type": contentType })).rejects.toThrow(/cannot be read/);
    },
  );

  test("continues as fast as it is written, and no faster", async () => {
    let produced = 0;
    async function* endless() {
      yield Buffer.from('--b\r\nContent-Disposition: form-data; name="file_content"; filename="a"\r\n\r\n');
      for (;;) {
        produced += 65_536;
        yield Buffer.alloc(65_536);
      }
    }
    const writing = writeFilePart(
      HEADERS,
      Readable.from(endless(), { objectMode: false }),
      async (content) => {
        await new Promise((resolve) => content.once("readable", resolve));
        await new Promise((resolve) => setImmediate(resolve));
        throw new Refusal("no-space", "full");
      },
    );
    await expect(writing).rejects.toThrow("full");
    expect(produced).toBeLessThan(2_000_000);
  });
});
