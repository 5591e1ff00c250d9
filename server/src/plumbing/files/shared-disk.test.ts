import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { type DiskShortage, type DiskSpace, diskFloor, openDiskSpace } from "#plumbing/files/disk-space";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { withSharedDisk } from "#plumbing/files/shared-disk";
import { systemRandom } from "#plumbing/ids";

const MIB = 2 ** 20;

let folder: string;
let free: { own: number; shared: number };
let measured: number;
let hangs: Promise<void> | undefined;
let heard: (DiskShortage | undefined)[];

folderForEach((made) => void (folder = made));
beforeEach(() => {
  free = { own: 1000 * MIB, shared: 1000 * MIB };
  measured = 0;
  hangs = undefined;
  heard = [];
});

const size = (freeBytes: number) => ({ blocks: (1e6 * MIB) / 4096, bavail: freeBytes / 4096, bsize: 4096 });

async function open(): Promise<DiskSpace> {
  const floorOf = diskFloor({});
  const own = openDiskSpace({
    folder,
    reserveFile: path.join(folder, "reserve"),
    random: systemRandom,
    statfs: () => size(free.own),
    floorOf,
  });
  const disk = await withSharedDisk(own, {
    folder,
    floorOf,
    async statfs() {
      measured += 1;
      await hangs;
      return size(free.shared);
    },
  });
  disk.onChange((shortage) => void heard.push(shortage));
  return disk;
}

test("the shared disk is short under its floor, although the server's own disk has space", async () => {
  const disk = await open();
  await disk.look();
  expect(disk.shortage()).toBeUndefined();
  free.shared = 63 * MIB;
  await disk.look();
  const low = { isFull: false, freeBytes: 63 * MIB, floorBytes: 64 * MIB, isShared: true };
  expect(disk.shortage()).toEqual(low);
  expect([disk.space()?.freeBytes, disk.sharedSpace?.()?.freeBytes]).toEqual([free.own, free.shared]);
  free.shared = 1000 * MIB;
  await disk.look();
  expect(heard).toEqual([low, undefined]);
});

test("a full disk is reported before a nearly full disk", async () => {
  const disk = await open();
  await disk.look();
  free = { own: 60 * MIB, shared: 1000 * MIB };
  await disk.look();
  free.shared = MIB / 2;
  await disk.look();
  free = { own: MIB / 2, shared: 60 * MIB };
  await disk.look();
  expect(heard.map((one) => [one?.isFull, one?.isShared])).toEqual([
    [false, undefined],
    [true, true],
    [true, undefined],
  ]);
});

test("a hanging shared disk is measured once, and the last measure stays", async () => {
  const disk = await open();
  const { promise, resolve } = Promise.withResolvers<void>();
  hangs = promise;
  free.shared = 0;
  const looks = [disk.look(), disk.look(), disk.look()];
  expect(disk.shortage()).toBeUndefined();
  await expect.poll(() => measured).toBe(2);
  resolve();
  await Promise.all(looks);
  expect([measured, disk.shortage()?.isFull]).toEqual([2, true]);
});
