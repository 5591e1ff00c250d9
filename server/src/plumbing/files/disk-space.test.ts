import { stat, truncate, unlink } from "node:fs/promises";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { type DiskSpace, openDiskSpace, diskFloor } from "#plumbing/files/disk-space";
import { systemRandom } from "#plumbing/ids";

const MIB = 2 ** 20;

let folder: string;
let reserveFile: string;
let free: number;
let heard: (boolean | undefined)[];

folderForEach((made) => void (folder = made));

beforeEach(async () => {
  reserveFile = path.join(folder, "reserve");
  heard = [];
});

function open(totalBytes: number, minFreeBytes?: number): DiskSpace {
  const statfs = () => ({ blocks: totalBytes / 4096, bavail: free / 4096, bsize: 4096 });
  const floorOf = diskFloor({ minFreeBytes });
  const disk = openDiskSpace({ folder, reserveFile, random: systemRandom, statfs, floorOf });
  disk.onChange((shortage) => void heard.push(shortage?.isFull));
  return disk;
}

const reserve = async () => (await stat(reserveFile)).size;

test("a reserve of 4 MiB is made where there is space, and not twice", async () => {
  free = 1000 * MIB;
  const disk = open(1e6 * MIB);
  await disk.look();
  await disk.look();
  expect(await reserve()).toBe(4 * MIB);
  expect([disk.shortage(), heard]).toEqual([undefined, []]);
});

test("under the floor it is short, and under a piece of the reserve full", async () => {
  free = 100 * MIB;
  const disk = open(1e6 * MIB);
  await disk.look();
  free = 63 * MIB;
  await disk.look();
  expect(disk.shortage()).toEqual({ isFull: false, freeBytes: 63 * MIB, floorBytes: 64 * MIB });
  free = MIB / 2;
  await disk.look();
  expect(disk.shortage()).toMatchObject({ isFull: true, freeBytes: MIB / 2 });
  free = 100 * MIB;
  await disk.look();
  expect(heard).toEqual([false, true, undefined]);
});

test("a small disk keeps a twentieth free, and a fortieth in reserve", async () => {
  free = 20 * MIB;
  const disk = open(20 * MIB);
  await disk.look();
  expect(await reserve()).toBe(MIB / 2);
  free = MIB - 4096;
  await disk.look();
  expect(disk.shortage()).toMatchObject({ isFull: false, floorBytes: MIB });
});

test("the administrator's floor counts", async () => {
  free = 900 * MIB;
  const disk = open(1e6 * MIB, 1000 * MIB);
  await disk.look();
  expect(disk.shortage()).toMatchObject({ isFull: false, floorBytes: 1000 * MIB });
});

test("the reserve is given back piece by piece, and the disk is full until it is whole again", async () => {
  free = 1000 * MIB;
  const disk = open(1e6 * MIB);
  await disk.look();
  free = 0;
  disk.ensureRoom();
  expect(await reserve()).toBe(3 * MIB);
  // The released piece is still free.
  free = MIB;
  disk.ensureRoom();
  expect(await reserve()).toBe(3 * MIB);
  for (let more = 0; more < 5; more += 1) disk.makeRoom();
  expect(await reserve()).toBe(0);
  free = 7 * MIB;
  await disk.look();
  expect([await reserve(), disk.shortage()?.isFull]).toEqual([0, true]);
  free = 1000 * MIB;
  await disk.look();
  expect([await reserve(), disk.shortage()]).toEqual([4 * MIB, undefined]);
});

test("work that the disk refuses is done again with more room, until the reserve is used up", async () => {
  free = 1000 * MIB;
  const disk = open(1e6 * MIB);
  await disk.look();
  let attempts = 0;
  const refusedUntil = (last: number) => async () => {
    attempts += 1;
    if (attempts < last) throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
    return attempts;
  };
  expect(await disk.withRoom(refusedUntil(3))).toBe(3);
  await expect(disk.withRoom(refusedUntil(100))).rejects.toThrow("ENOSPC");
  expect([attempts, await reserve()]).toEqual([6, 0]);
});

test("a reserve that was removed or truncated is restored", async () => {
  free = 1000 * MIB;
  const disk = open(1e6 * MIB);
  await disk.look();
  await unlink(reserveFile);
  await disk.look();
  expect(await reserve()).toBe(4 * MIB);
  await truncate(reserveFile, 10);
  await disk.look();
  expect(await reserve()).toBe(4 * MIB);
});

test("a disk of unknown size is never short", () => {
  free = 0;
  const disk = open(0);
  disk.ensureRoom();
  disk.makeRoom();
  expect(disk.shortage()).toBeUndefined();
});
