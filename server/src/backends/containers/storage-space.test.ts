import { expect, test } from "vitest";
import { missingSpace } from "#backends/containers/storage-space";
import { diskFloor } from "#plumbing/files/disk-space";

const MIB = 2 ** 20;
const ofSize = (totalMib: number, freeMib: number) => () => ({
  bsize: MIB,
  blocks: totalMib,
  bavail: freeMib,
});
const podman = { name: "podman", storage: "/var/lib/images" } as const;

test("a runtime whose disk has too little space is waited for, with the folder and the numbers", () => {
  expect(missingSpace(podman, { measure: ofSize(100_000, 3) })).toBe(
    "free space: podman keeps images and containers in /var/lib/images, which has 3 MiB free and needs at least 64 MiB",
  );
});

test.each([
  ["has enough", ofSize(100_000, 64)],
  ["is small, and has its share", ofSize(100, 5)],
  ["does not tell its size", ofSize(0, 0)],
])("a disk that %s holds no job back", (_what, measure) => {
  expect(missingSpace(podman, { measure })).toBeUndefined();
});

test.each([
  [
    2 ** 30,
    100,
    "free space: podman keeps images and containers in /var/lib/images, which has 100 MiB free and needs at least 1 GiB",
  ],
  [2 * MIB, 3, undefined],
  [0, 0, undefined],
])("with --min-free %j, a disk with %j MiB free is judged by it", (minFreeBytes, freeMib, expected) => {
  expect(
    missingSpace(podman, { measure: ofSize(100_000, freeMib), floorOf: diskFloor({ minFreeBytes }) }),
  ).toBe(expected);
});

test("the storage of a docker on another machine holds no job back", () => {
  expect(missingSpace({ name: "docker", storage: "/nowhere/at/all" })).toBeUndefined();
});
