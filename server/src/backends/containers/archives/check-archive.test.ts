import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { checkArchive } from "#backends/containers/archives/check-archive";
import { folderForEach } from "#plumbing/files/folder-fixture";

let folder: string;
folderForEach((made) => void (folder = made));

const inFolder = (...names: readonly string[]) => path.join(folder, ...names);

/** Packs files by GNU tar, in the given order. Names that lead out are kept. */
function packed(...words: readonly string[]): string {
  execFileSync("tar", ["-C", inFolder("in"), "-P", "--no-recursion", "-cf", inFolder("a.tar"), ...words]);
  return inFolder("a.tar");
}

function fill(): void {
  mkdirSync(inFolder("in/blobs"), { recursive: true });
  writeFileSync(inFolder("in/blobs/layer"), "x".repeat(1500));
  writeFileSync(inFolder("in/manifest.json"), "[]");
  symlinkSync("../manifest.json", inFolder("in/blobs/inside"));
  linkSync(inFolder("in/blobs/layer"), inFolder("in/same"));
  symlinkSync("/etc", inFolder("in/absolute"));
  symlinkSync("../../etc", inFolder("in/blobs/relative"));
  symlinkSync("blobs", inFolder("in/link"));
}

const GOOD = ["./", "blobs/", "blobs/layer", "blobs/inside", "same", "manifest.json"];

test.each(["gnu", "pax", "ustar"])("an archive in the form %s is accepted, packed or not", async (format) => {
  fill();
  const archive = packed(`--format=${format}`, ...GOOD);
  await checkArchive(archive);
  for (const pack of [gzipSync, zstdCompressSync]) {
    writeFileSync(inFolder("packed"), pack(readFileSync(archive)));
    await checkArchive(inFolder("packed"));
  }
});

test.each([
  ["an absolute link", ["absolute"], "absolute"],
  ["a link that leads up", ["blobs/relative"], "blobs/relative"],
  ["a file below a link", ["link", "link/layer"], "link/layer"],
  ["a file in place of a link", ["link", "--transform=s,^same,./link/,", "same"], "./link/"],
  [
    "a hard link through a link",
    ["--transform=flags=h;s,^blobs/layer,link/layer,", "link", "blobs/layer", "same"],
    "same",
  ],
  ["an absolute name", ["/etc/hostname"], "/etc/hostname"],
  ["a name that leads up", ["../in/same"], "../in/same"],
])("%s is refused by name", async (_what, words, name) => {
  fill();
  await expect(checkArchive(packed(...words))).rejects.toThrow(`its entry ${name}`);
  writeFileSync(inFolder("packed"), gzipSync(readFileSync(inFolder("a.tar"))));
  await expect(checkArchive(inFolder("packed"))).rejects.toThrow(`its entry ${name}`);
});

test.each([
  ["a long name", ["--format=gnu", `--transform=s,^same,${"a/".repeat(80)},`, "same"], 'type "L"'],
  ["a second name", ["--format=pax", `--transform=s,^same,${"a".repeat(200)},`, "same"], "a second name"],
  ["a device", ["/dev/null"], 'type "3"'],
])("%s is refused, which no archive of images needs", async (_what, words, sentence) => {
  fill();
  await expect(checkArchive(packed(...words))).rejects.toThrow(sentence);
});

test("what is no archive, or ends too early, is refused", async () => {
  fill();
  const archive = readFileSync(packed(...GOOD));
  for (const [content, sentence] of [
    ["x".repeat(2000), "it is not a tar archive"],
    ["", "it ends too early"],
    [archive.subarray(0, 2000), "it ends too early"],
  ] as const) {
    writeFileSync(inFolder("bad.tar"), content);
    await expect(checkArchive(inFolder("bad.tar"))).rejects.toThrow(sentence);
  }
});
