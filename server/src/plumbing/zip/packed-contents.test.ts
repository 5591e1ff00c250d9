import { createHash } from "node:crypto";
import { open, writeFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { type PackedContent, packedContents } from "#plumbing/zip/packed-contents";
import { zipOf } from "#plumbing/zip/zip-fixture";

let folder = "";
folderForEach((made) => void (folder = made));

const ELEVEN = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`${index}`, ""]));
const sha256 = (content: string) => createHash("sha256").update(content).digest("hex");

async function contentsOf(bytes: Buffer, name = "a", limits = { maxFiles: 10, maxBytes: 1 << 20 }) {
  const file = path.join(folder, "packed");
  await writeFile(file, bytes);
  const handle = await open(file);
  const contents: PackedContent[] = [];
  try {
    for await (const content of packedContents(handle, name, limits)) contents.push(content);
    return contents;
  } finally {
    await handle.close();
  }
}

test("the files inside a zip, of any size, have the checksums of their contents", async () => {
  const long = "0123456789".repeat(50_000);
  expect(await contentsOf(await zipOf({ "a/one.txt": "one", long, empty: "" }))).toEqual([
    { name: "a/one.txt", bytes: 3, sha256: sha256("one") },
    { name: "long", bytes: 500_000, sha256: sha256(long) },
    { name: "empty", bytes: 0, sha256: sha256("") },
  ]);
});

test.each([
  ["table.csv.gz", "table.csv"],
  ["talk/run.TGZ", "run.tar"],
  ["packed", "packed"],
])("the content of the gzip %s is named %s", async (name, inner) => {
  const parts = Buffer.concat([gzipSync("one"), gzipSync("two")]);
  expect(await contentsOf(parts, name)).toEqual([{ name: inner, bytes: 6, sha256: sha256("onetwo") }]);
});

test.each([
  ["a text", Buffer.from("no archive")],
  ["an empty file", Buffer.alloc(0)],
  ["a word that is shorter than a signature", Buffer.from("PK")],
])("%s holds nothing", async (_name, bytes) => {
  expect(await contentsOf(bytes)).toEqual([]);
});

test.each([
  [
    "a name that leads out of the folder",
    () => zipOf({ "../evil": "x" }),
    '"../evil" is no plain path inside it',
  ],
  ["an absolute name", () => zipOf({ "/etc/passwd": "x" }), '"/etc/passwd" is an absolute path'],
  ["more files than the limit", () => zipOf(ELEVEN), "it has more than 10 entries"],
  [
    "a zip that was cut",
    async () => (await zipOf({ one: "one" })).subarray(0, -30),
    "it has no end of a zip",
  ],
  ["a gzip that was cut", async () => gzipSync("one").subarray(0, -4), "The gzip is damaged."],
])("%s is refused", async (_name, bytes, sentence) => {
  await expect(contentsOf(await bytes())).rejects.toThrow(sentence);
});

test("content that unpacks to more than the limit is refused, and read no further", async () => {
  const bomb = "0".repeat(2 << 20);
  await expect(contentsOf(gzipSync(bomb))).rejects.toThrow("It holds more than 1 MiB, unpacked.");
  await expect(contentsOf(await zipOf({ bomb }))).rejects.toThrow("It holds more than 1 MiB, unpacked.");
  const lying = await zipOf({ bomb });
  const central = lying.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  lying.writeUInt32LE(10, central + 24);
  await expect(contentsOf(lying)).rejects.toThrow('"bomb" is larger than it says');
});
