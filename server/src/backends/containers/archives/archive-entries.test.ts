import { randomBytes } from "node:crypto";
import { readdirSync, readlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { checkArchive } from "#backends/containers/archives/check-archive";
import { folderForEach } from "#plumbing/files/folder-fixture";

/**
 * Archives that tar readers understand differently: Go's reader, in podman, finds an entry that leads out.
 */

let folder: string;
folderForEach((made) => void (folder = made));

interface Fields {
  readonly name: string;
  readonly type?: string;
  readonly target?: string;
  readonly size?: string;
  readonly magic?: string;
  readonly prefix?: string;
  readonly trailer?: string;
}

const GNU = "ustar  \0";

function header(fields: Fields): Buffer {
  const {
    name,
    type = "0",
    target = "",
    size = "00000000000\0",
    magic = "ustar\x0000",
    prefix,
    trailer,
  } = fields;
  const block = Buffer.alloc(512);
  for (const [at, text] of [
    [0, name],
    [124, size],
    [148, " ".repeat(8)],
    [156, type],
    [157, target],
    [257, magic],
    [345, prefix ?? ""],
    [508, trailer ?? ""],
  ] as const)
    block.write(text, at, "latin1");
  const sum = block.reduce((all, byte) => all + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

const octal = (size: number) => `${size.toString(8).padStart(11, "0")}\0`;

/** Returns an attributes entry, followed by the blocks. */
function withAttributes(attributes: string, ...blocks: readonly Buffer[]): readonly Buffer[] {
  const content = Buffer.alloc(Math.ceil(attributes.length / 512) * 512);
  content.write(attributes);
  return [header({ name: "attributes", type: "x", size: octal(attributes.length) }), content, ...blocks];
}

/** Checks an archive made from the blocks. */
async function check(...blocks: readonly Buffer[]): Promise<void> {
  const file = path.join(folder, "a.tar");
  writeFileSync(file, Buffer.concat([...blocks, Buffer.alloc(1024)]));
  await checkArchive(file);
}

const file = header({ name: "file", size: octal(512) });
const content = Buffer.alloc(512, "x");
/** An entry that leads out, hidden in the content of another entry for some readers. */
const hidden = header({ name: "hidden", type: "2", target: "/etc" });

test("entries in the plain form are accepted, with the attributes that writers give", async () => {
  await check(
    header({ name: "blobs/", type: "5" }),
    header({ name: "layer.tar", prefix: "blobs", size: octal(512) }),
    content,
    header({ name: "old", type: "\0", magic: "\0".repeat(8), size: "       1000 " }),
    content,
    ...withAttributes("20 size=00000000512\n19 comment=size=12\n", header({ name: "big" }), content),
    ...withAttributes("26 SCHILY.xattr.user.a=\n\n\n", file, content),
    header({ name: "blobs/link", type: "2", target: "../other/layer.tar" }),
  );
});

test.each<[string, string, readonly Buffer[]]>([
  [
    "a file of the old type that is named like a folder",
    "its entry folder/ is named like a folder, but is a file",
    [header({ name: "folder/", type: "\0", size: octal(512) }), hidden],
  ],
  [
    "a folder with content",
    "its entry folder/ is a folder with content",
    [header({ name: "folder/", type: "5", size: octal(512) }), hidden],
  ],
  [
    "a size behind a NUL",
    "the size of an entry is not in plain octal digits",
    [header({ name: "file", size: "\x0000000001000" }), file, hidden],
  ],
  ["a size without digits", "not in plain octal digits", [header({ name: "file", size: "\0".repeat(12) })]],
  [
    "a binary size",
    "not in plain octal digits",
    [header({ name: "file", size: `\x80${"\0".repeat(9)}\x02\0` }), content],
  ],
  ["two sizes", "the same attribute twice", withAttributes("12 size=512\n9 size=0\n", file, hidden)],
  [
    "a size with a sign",
    "the size of an entry is not in plain digits",
    withAttributes("13 size=+512\n", file),
  ],
  [
    "an attribute with a wrong length",
    "attributes of an entry are malformed",
    withAttributes("13 size=512\n", file),
  ],
  [
    "an attribute without a length",
    "attributes of an entry are malformed",
    withAttributes("size=512\n", file),
  ],
  [
    "attributes of attributes",
    'type "x"',
    withAttributes("12 size=512\n", ...withAttributes("9 size=0\n", file)),
  ],
  ["another name", "a long or a second name", withAttributes("16 path=../../a\n", file)],
  [
    "a part of a name in another dialect",
    "a header has more fields than archives of images need",
    [header({ name: "l", type: "2", target: ".", magic: GNU, prefix: "d" })],
  ],
  [
    "a trailer of another dialect",
    "a header has more fields than archives of images need",
    [header({ name: "l", prefix: "d", trailer: "tar\0" })],
  ],
  [
    "a link that leads up behind a name",
    "its entry d/m points outside",
    [header({ name: "d/m", type: "2", target: "l/../x" })],
  ],
  [
    "a link through a link",
    "its entry d/m points outside",
    [header({ name: "d/l", type: "2", target: "." }), header({ name: "d/m", type: "2", target: "l/x" })],
  ],
])("%s is refused", async (_what, sentence, blocks) => {
  await expect(check(...blocks)).rejects.toThrow(sentence);
});

test("a size within another attribute does not count", async () => {
  const attributes = withAttributes("25 comment=x\n12 size=512\n", header({ name: "empty" }), hidden);
  await expect(check(...attributes)).rejects.toThrow("its entry hidden points outside");
});

test.each(["BZh9", "\xfd7zXZ", "\x50*M\x18"])(
  "a tar that begins like the packed form %j is refused",
  async (name) => {
    await expect(check(header({ name }))).rejects.toThrow("it is not a tar archive");
  },
);

/** Returns the target of a link, or undefined if the link is gone. */
function maybeTarget(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}

test("the archive is closed after the last entry, and after a refusal", async () => {
  const open = () =>
    readdirSync("/proc/self/fd")
      .map((descriptor) => maybeTarget(`/proc/self/fd/${descriptor}`))
      .filter((target) => target?.startsWith(folder));
  const tail = Buffer.concat([Buffer.alloc(1024), randomBytes(2 ** 20)]);
  const packed = path.join(folder, "packed");
  for (const blocks of [
    [file, content, tail],
    [hidden, tail],
  ]) {
    await Promise.allSettled([check(...blocks)]);
    for (const level of [0, 6]) {
      writeFileSync(packed, gzipSync(Buffer.concat(blocks), { level }));
      await Promise.allSettled([checkArchive(packed)]);
    }
    await expect.poll(open).toEqual([]);
  }
});

test.each([
  ["is damaged", (archive: Buffer) => archive.fill(0xff, 20, 40), "invalid"],
  ["is cut off", (archive: Buffer) => archive.subarray(0, 600_000), "unexpected end of file"],
])("a packed archive that %s is refused", async (_what, damage, sentence) => {
  const big = header({ name: "big", size: octal(2 ** 20) });
  const packed = gzipSync(Buffer.concat([big, randomBytes(2 ** 20), Buffer.alloc(1024)]));
  writeFileSync(path.join(folder, "packed"), damage(packed));
  await expect(checkArchive(path.join(folder, "packed"))).rejects.toThrow(sentence);
});
