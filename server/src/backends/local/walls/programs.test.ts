import { expect, test, vi } from "vitest";
import { programFinder } from "#backends/local/walls/programs";

const refused = vi.hoisted(() => ({ code: undefined as string | undefined }));

vi.mock("node:fs", async (importOriginal) => {
  const real = await importOriginal<typeof import("node:fs")>();
  const openSync: typeof real.openSync = (...given) => {
    if (refused.code !== undefined) throw Object.assign(new Error(refused.code), { code: refused.code });
    return real.openSync(...given);
  };
  return { ...real, openSync };
});

test("a binary program is one, a script and a missing one are not", () => {
  const isProgram = programFinder();
  expect(["cat", "ldd", "no-such-program"].map(isProgram)).toEqual([true, false, false]);
});

test("a program that this user may run and not read is left to a shell", () => {
  refused.code = "EACCES";
  expect(programFinder()("cat")).toBe(false);
  refused.code = "EMFILE";
  expect(() => programFinder()("cat")).toThrow("EMFILE");
  refused.code = undefined;
});
