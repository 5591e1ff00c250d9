import { expect, test } from "vitest";
import { lookForOutages } from "#app/periodic-work";
import { systemClock } from "#plumbing/clock";
import type { DiskShortage } from "#plumbing/files/disk-space";

test("a shortage of disk space is logged, and so is the end of the shortage", async () => {
  const lines: string[] = [];
  const write = (_: object, message: string) => void lines.push(message);
  const log = { info: write, warn: write, error: write, over: () => undefined, isUnderWay: () => false };
  let change: ((shortage: DiskShortage | undefined) => void) | undefined;
  const disk = {
    look: () => undefined,
    shortage: () => undefined,
    onChange: (on: typeof change) => (change = on),
  };
  const stop = lookForOutages({ clock: systemClock, disk, db: {}, log } as never);
  change!({ isFull: false, freeBytes: 2 ** 20, floorBytes: 2 ** 26 });
  change!(undefined);
  await stop();
  expect(lines).toEqual([
    "The server's disk is nearly full (1 MiB free; the server keeps 64 MiB free): no job starts. " +
      "Free some space, for example by deleting runs; then this continues by itself.",
    "There is enough free disk space again: jobs start.",
  ]);
});
