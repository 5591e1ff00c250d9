import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename } from "node:fs/promises";
import path from "node:path";
import { PassThrough, Readable } from "node:stream";
import { beforeEach, expect, test } from "vitest";
import { systemClock } from "#plumbing/clock";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { openUploads, type Uploads } from "#workspace/write/uploads";

const CONTENT = "0123456789abcdef";
const WANTED = {
  runId: "r",
  name: "file",
  bytes: CONTENT.length,
  sha256: createHash("sha256").update(CONTENT).digest("hex"),
  isExecutable: false,
};

/** Servers with the same shared folder. */
let folder: string;
let one: Uploads;
let two: Uploads;
let published: string;

folderForEach((made) => void (folder = made));
beforeEach(async () => {
  const uploads = path.join(folder, "uploads");
  await mkdir(uploads);
  const open = (hostId: string) => openUploads({ folder: uploads, clock: systemClock, fsync: false, hostId });
  [one, two] = [open("one"), open("two")];
  published = path.join(folder, "published");
});

const send = (server: Uploads, id: string, offset: number, content: string) =>
  server.append("r", id, { offset, content: Readable.from([Buffer.from(content)]) });
const publish = (server: Uploads, id: string) => server.complete("r", id, (file) => rename(file, published));
const received = async (id: string) => (await two.look("r", id)).offset;

/** Begins to send through the first server, over a connection without an end. */
async function beginLate(): Promise<{ id: string; late: PassThrough; ended: Promise<unknown> }> {
  const { id } = await one.begin(WANTED);
  const late = new PassThrough();
  const ended = one.append("r", id, { offset: 0, content: late }).catch((error: unknown) => error);
  late.write(CONTENT.slice(0, 4));
  await expect.poll(() => received(id)).toBe(4);
  return { id, late, ended };
}

test.each([
  ["sends too much", "x".repeat(100)],
  ["sends other bytes", "xxxxxxxxxxxx"],
])("the published file stays if the client has left a server and the old connection %s", async (_, bytes) => {
  const { id, late, ended } = await beginLate();
  await send(two, id, 4, CONTENT.slice(4));
  await publish(two, id);
  late.end(bytes);
  await ended;
  expect(await readFile(published, "utf8")).toBe(CONTENT);
});

test("an upload through a sleeping server is completed by another server from the bytes that arrived", async () => {
  const { id, late, ended } = await beginLate();
  expect((await send(two, id, 4, CONTENT.slice(4, 10))).offset).toBe(10);
  late.write(CONTENT.slice(4));
  expect(await received(id)).toBe(10);
  await send(two, id, 10, CONTENT.slice(10));
  await publish(two, id);
  late.destroy();
  await ended;
  expect(await readFile(published, "utf8")).toBe(CONTENT);
});

test("parts through changing servers arrive, and leave no claim", async () => {
  const { id } = await one.begin(WANTED);
  for (const [index, server] of [one, two, one, two].entries())
    await send(server, id, index * 4, CONTENT.slice(index * 4, index * 4 + 4));
  expect(await readdir(path.join(folder, "uploads", id))).toEqual(["part", "session.json"]);
  await publish(one, id);
  expect(await readFile(published, "utf8")).toBe(CONTENT);
});
