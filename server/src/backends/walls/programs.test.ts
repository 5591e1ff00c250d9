import fs from "node:fs";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { folderForEach } from "#plumbing/files/folder-fixture";

let folder: string;
folderForEach((made) => void (folder = made));

afterEach(() => {
  vi.doUnmock("node:fs");
  vi.unstubAllEnvs();
  vi.resetModules();
});

/** Loads the module with an `openSync` that refuses every file with the given code. */
async function finderThatFailsBy(code: string): Promise<(name: string) => boolean> {
  const openSync = () => {
    throw Object.assign(new Error(code), { code });
  };
  vi.resetModules();
  vi.doMock("node:fs", () => ({ ...fs, openSync }));
  return (await import("#backends/walls/programs")).programFinder();
}

test("a binary program is one, a script and a missing one are not", async () => {
  const { programFinder } = await import("#backends/walls/programs");
  expect(["cat", "ldd", "no-such-program"].map(programFinder())).toEqual([true, false, false]);
});

test("folders in the PATH that cannot be entered are skipped", async () => {
  const [loop, file] = ["loop", "file"].map((name) => path.join(folder, name));
  fs.symlinkSync("loop", loop!);
  fs.writeFileSync(file!, "");
  vi.stubEnv("PATH", `${loop}:${file}/bin:relative:${process.env["PATH"]}`);
  vi.resetModules();
  const { programFinder } = await import("#backends/walls/programs");
  expect(programFinder()("cat")).toBe(true);
});

test("a program that this user may run and not read is left to a shell", async () => {
  expect((await finderThatFailsBy("EACCES"))("cat")).toBe(false);
});

test("any other failure is not hidden", async () => {
  const isProgram = await finderThatFailsBy("EMFILE");
  expect(() => isProgram("cat")).toThrow("EMFILE");
});
