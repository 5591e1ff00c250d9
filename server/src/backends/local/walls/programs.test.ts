import fs from "node:fs";
import { afterEach, expect, test, vi } from "vitest";

afterEach(() => {
  vi.doUnmock("node:fs");
  vi.resetModules();
});

/** Loads the module with an `openSync` that refuses every file with this code. */
async function finderThatFailsBy(code: string): Promise<(name: string) => boolean> {
  const openSync = () => {
    throw Object.assign(new Error(code), { code });
  };
  vi.resetModules();
  vi.doMock("node:fs", () => ({ ...fs, openSync }));
  return (await import("#backends/local/walls/programs")).programFinder();
}

test("a binary program is one, a script and a missing one are not", async () => {
  const { programFinder } = await import("#backends/local/walls/programs");
  expect(["cat", "ldd", "no-such-program"].map(programFinder())).toEqual([true, false, false]);
});

test("a program that this user may run and not read is left to a shell", async () => {
  expect((await finderThatFailsBy("EACCES"))("cat")).toBe(false);
});

test("any other failure is not hidden", async () => {
  const isProgram = await finderThatFailsBy("EMFILE");
  expect(() => isProgram("cat")).toThrow("EMFILE");
});
