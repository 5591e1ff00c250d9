import os from "node:os";
import { expect, test } from "vitest";
import { usableMemoryBytes } from "#config/usable-memory";

const GIB = 2 ** 30;

test.each([
  ["a container that may use less than the machine has", 16 * GIB, 2 * GIB, 2 * GIB],
  ["no bound", 16 * GIB, 0, 16 * GIB],
  ["no bound: the largest number that the kernel writes", 16 * GIB, 2 ** 63, 16 * GIB],
])("%s", (_, machine, bound, usable) => {
  expect(usableMemoryBytes(machine, bound)).toBe(usable);
});

test("never exceeds the memory of this machine", () => {
  expect(usableMemoryBytes()).toBeGreaterThan(0);
  expect(usableMemoryBytes()).toBeLessThanOrEqual(os.totalmem());
});
