import { createHook } from "node:async_hooks";
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemRandom } from "#plumbing/ids";
import { needsPython } from "#plumbing/formats/python-suite";
import {
  centralRecord,
  dataDescriptor,
  directoryEnd,
  localHeader,
  type ZipRecord,
} from "#plumbing/zip/zip-records";
import { zip, type ZipEntry } from "#plumbing/zip/zip-writer";

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(path.join(os.tmpdir(), "reprise-zip-"))));
beforeEach(needsPython);
afterEach(() => rm(folder, { recursive: true, force: true }));

function entry(name: string, content: string | Buffer, other: Partial<ZipEntry> = {}): ZipEntry {
  const bytes = Buffer.from(content);
  const modifiedAtMs = Date.UTC(2026, 10, 21, 10, 57, 40);
  return { name, modifiedAtMs, mode: 0o644, bytes: bytes.length, content: Readable.from([bytes]), ...other };
}

function record(name: string, offset: number): ZipRecord {
  const sizes = { crc: 0, compressed: 2, uncompressed: 0 };
  return { name: Buffer.from(name), offset, modifiedAtMs: 0, mode: 0o644, isWide: false, ...sizes };
}

const READ = `
import sys, zipfile, json, base64
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    print(json.dumps([[i.filename, base64.b64encode(archive.read(i)).decode(), list(i.date_time),
                       i.external_attr >> 16, i.compress_type] for i in archive.infolist()]))`;

type Read = [name: string, base64: string, time: number[], mode: number, method: number];

/** Reads a zip with Python's zipfile, an independent implementation. */
async function readBack(entries: Iterable<ZipEntry>): Promise<Read[]> {
  const file = path.join(folder, "a.zip");
  await writeFile(file, await buffer(Readable.from(zip(Readable.from(entries)))));
  const listed = execFileSync("python3", ["-c", READ, file], { encoding: "utf8", maxBuffer: 1 << 28 });
  return JSON.parse(listed) as Read[];
}

test("names, contents, times and permissions come back", async () => {
  const long = "0123456789".repeat(400_000);
  const [hello, empty, large] = await readBack([
    entry("a/ümläut 日本.txt", "hello", { mode: 0o755 }),
    entry("empty", ""),
    entry("large", long),
  ]);
  const text = (read: Read | undefined) => Buffer.from(read![1], "base64").toString();
  expect(hello).toMatchObject([
    "a/ümläut 日本.txt",
    expect.any(String),
    [2026, 11, 21, 10, 57, 40],
    0o100755,
    8,
  ]);
  expect([text(hello), text(empty), text(large) === long]).toEqual(["hello", "", true]);
});

test("any bytes come back", async () => {
  const contents = fc.sample(fc.uint8Array({ maxLength: 3000 }), { numRuns: 60, seed: 7 });
  const read = await readBack(contents.map((content, index) => entry(`${index}`, Buffer.from(content))));
  expect(read.map(([, base64]) => base64)).toEqual(
    contents.map((one) => Buffer.from(one).toString("base64")),
  );
});

test("a file of any time is taken; the nearest that the format has is noted", async () => {
  const times = ["-271821-04-20", "1960-01-01", "1979-12-31", "2038-02-01", "2107-12-31", "+275760-09-13"];
  const read = await readBack(
    times.map((time) => entry(time, "x", { modifiedAtMs: Date.parse(`${time}T00:00:00Z`) })),
  );
  expect(read.map(([, , time]) => time.slice(0, 3))).toEqual([
    [1980, 1, 1],
    [1980, 1, 1],
    [1980, 1, 1],
    [2038, 2, 1],
    [2107, 12, 31],
    [2107, 12, 31],
  ]);
});

test("no name leads out of the folder it is unpacked into, on Windows either", async () => {
  expect((await readBack([entry("..\\..\\evil", "x")])).map(([name]) => name)).toEqual([".._.._evil"]);
});

test("a file that may be larger than 32 bits count has wide sizes", async () => {
  expect(
    await readBack([entry("a", "x"), entry("wide", "y", { bytes: 2 ** 33 }), entry("z", "x")]),
  ).toHaveLength(3);
});

test("entries beyond 4 GiB are found", () => {
  const far = centralRecord({ ...record("a", 2 ** 32 + 9), compressed: 5, uncompressed: 7 });
  const wide = far.subarray(-24);
  expect(far.readUInt32LE(42)).toBe(0xffff_ffff);
  expect([0, 8, 16].map((at) => Number(wide.readBigUInt64LE(at)))).toEqual([7, 5, 2 ** 32 + 9]);
  const end = directoryEnd({ entries: 1, directoryBytes: 71, offset: 2 ** 32 + 100 });
  expect(Number(end.readBigUInt64LE(56 + 8))).toBe(2 ** 32 + 171);
});

test("more entries than 16 bits count", async () => {
  const body = Buffer.concat([
    localHeader(record("a", 0)),
    deflateRawSync(""),
    dataDescriptor(record("a", 0)),
  ]);
  const directory = Buffer.concat(
    Array.from({ length: 66_000 }, (_, index) => centralRecord(record(`${index}`, 0))),
  );
  const end = directoryEnd({ entries: 66_000, directoryBytes: directory.length, offset: body.length });
  const file = path.join(folder, "many.zip");
  await writeFile(file, Buffer.concat([body, directory, end]));
  const count = "import sys,zipfile;print(len(zipfile.ZipFile(sys.argv[1]).namelist()))";
  expect(execFileSync("python3", ["-c", count, file], { encoding: "utf8" }).trim()).toBe("66000");
});

test.each([10, 100_000])(
  "an error of a file of %i bytes breaks the zip off, and closes it",
  async (bytes) => {
    async function* broken() {
      yield Buffer.from("half");
      throw new Error("the disk is gone");
    }
    const content = Readable.from(broken());
    const output = Readable.from(zip(Readable.from([entry("a", "x"), entry("b", "", { content, bytes })])));
    await expect(buffer(output)).rejects.toThrow("the disk is gone");
    expect(content.destroyed).toBe(true);
  },
);

test("small files share one deflater, whose memory would otherwise wait for a collection", async () => {
  const kinds: string[] = [];
  const hook = createHook({ init: (_id, kind) => void kinds.push(kind) }).enable();
  const read = await readBack(
    Array.from({ length: 50 }, (_, index) => entry(`${index}`, `content ${index}`)),
  );
  hook.disable();
  expect(kinds.filter((kind) => kind === "ZLIB")).toHaveLength(1);
  expect(read.map(([, base64]) => Buffer.from(base64, "base64").toString())).toEqual(
    Array.from({ length: 50 }, (_, index) => `content ${index}`),
  );
});

test("a content that is longer than its bound is packed whole", async () => {
  const long = Buffer.from("0123456789".repeat(100_000));
  const [read] = await readBack([entry("grown", long, { bytes: 10 })]);
  expect(Buffer.from(read![1], "base64").equals(long)).toBe(true);
});

test("closing the archive early closes the file that is being read", async () => {
  const read = (size: number) => void content.push(systemRandom.bytes(size));
  const content = new Readable({ read });
  const closed = new Promise((resolve) => content.once("close", resolve));
  const output = Readable.from(zip(Readable.from([entry("endless", "", { content, bytes: 2 ** 33 })])));
  for await (const chunk of output) if ((chunk as Buffer).length > 1000) break;
  await closed;
  expect(output.destroyed).toBe(true);
});
