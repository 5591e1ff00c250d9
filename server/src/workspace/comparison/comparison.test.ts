import { execFileSync, spawnSync } from "node:child_process";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { WorkspaceComparison } from "#workspace/comparison/comparison";
import { compareFolders } from "#workspace/comparison/compare-folders";
import { comparingFewAtOnce } from "#workspace/comparison/compare-workspaces";

let base: string;

beforeEach(() => {
  base = mkdtempSync(path.join(os.tmpdir(), "reprise-comparison-"));
  for (const side of ["a", "b"]) mkdirSync(path.join(base, side));
});
afterEach(() => rmSync(base, { recursive: true }));

const at = (side: string, name: string) => path.join(base, side, name);

/** Writes equal files on both sides, or only on the sides whose content is given. */
function put(name: string, a: string | Buffer | null, b: string | Buffer | null = a): void {
  for (const [side, content] of Object.entries({ a, b })) {
    if (content === null) continue;
    mkdirSync(path.dirname(at(side, name)), { recursive: true });
    writeFileSync(at(side, name), content);
  }
}

function compared(contextLines: number | "none" = 3): WorkspaceComparison {
  return compareFolders({ a: path.join(base, "a"), b: path.join(base, "b"), contextLines });
}

/** Formats differences like `changed results/x 3 4`. */
function lines({ differences }: WorkspaceComparison): string[] {
  const side = (one: { kind: string; bytes: number } | null) =>
    one ? (one.kind === "file" ? String(one.bytes) : one.kind) : "-";
  return differences.map(({ change, name, a, b }) => `${change} ${name} ${side(a)} ${side(b)}`);
}

describe("the report", () => {
  test("files that are new, gone, changed in size or content alone, and equal ones by number", () => {
    put("same", "equal");
    put("results/same", "equal");
    put("results/longer", "one", "three");
    put("results/other", Buffer.from([0, 1]), Buffer.from([0, 2]));
    put("gone", "x", null);
    put("new/inside/file", null, "xyz");
    const comparison = compared();
    expect(lines(comparison)).toEqual([
      "removed gone 1 -",
      "added new - folder",
      "added new/inside - folder",
      "added new/inside/file - 3",
      "changed results/longer 3 5",
      "changed results/other 2 2",
    ]);
    expect(comparison.counts).toEqual({ added: 1, removed: 1, changed: 2, unreadable: 0, same: 2 });
    expect(comparison.isCut).toBe(false);
  });

  test("texts that differ in the workspace path alone", () => {
    put("alike", `made in ${path.join(base, "a")}/fit\n`, `made in ${path.join(base, "b")}/fit\n`);
    put("other", `made in ${path.join(base, "a")}: 1\n`, `made in ${path.join(base, "b")}: 2\n`);
    const [alike, other] = compared().differences;
    expect(alike!.diff).toBe("\\ Only the path of the workspace differs.\n");
    expect(other!.diff).toContain(": 1");
  });

  test("a difference in the last byte of a large file, of any length", () => {
    const large = Buffer.alloc(600 << 10, "x");
    for (const bytes of [large.length, 256 << 10, (256 << 10) + 1]) {
      const other = Buffer.from(large.subarray(0, bytes));
      other[bytes - 1] = 0;
      put(`${bytes}`, large.subarray(0, bytes), other);
      put(`same-${bytes}`, large.subarray(0, bytes));
    }
    expect(lines(compared()).map((line) => line.split(" ")[1])).toEqual(["262144", "262145", "614400"]);
  });

  test("names in the order of their bytes", () => {
    for (const name of ["é", "z", "Z", "a b", "\n"]) put(name, null, "x");
    writeFileSync(Buffer.concat([Buffer.from(at("b", "/")), Buffer.from([0xff])]), "x");
    expect(lines(compared()).map((line) => line.slice(6))).toEqual(
      ["\n", "Z", "a b", "z", "é", "\ufffd"].map((name) => `${name} - 1`),
    );
  });

  test("a file that became a folder", () => {
    put("x", "file", null);
    put("x/inside", null, "y");
    expect(lines(compared())).toEqual(["changed x 4 folder"]);
  });

  test("a workspace without a folder is empty", () => {
    put("x", "1", null);
    rmSync(path.join(base, "b"), { recursive: true });
    expect(lines(compared())).toEqual(["removed x 1 -"]);
    mkdirSync(path.join(base, "b"));
  });

  test("one file under two names is equal to itself", () => {
    put("x", "1", null);
    linkSync(at("a", "x"), at("b", "x"));
    expect(compared().counts.same).toBe(1);
  });

  test("equal to the report of diff", () => {
    for (let index = 0; index < 60; index += 1) {
      const content = (side: number) => (index % (3 + side) === 0 ? null : `${index % 5 === 0 ? side : 0}`);
      put(`${index % 7}/${index % 2}/${index}`, content(0), content(1));
    }
    const told = spawnSync("diff", ["-rq", "a", "b"], { cwd: base, env: { LC_ALL: "C" } }).stdout.toString();
    const ours = compared().differences.filter(
      (one, _index, all) => !all.some((other) => one.name.startsWith(`${other.name}/`)),
    );
    const sentences = ours.map(({ name, change }) => {
      const side = change === "added" ? "b" : "a";
      const folder = path.dirname(name) === "." ? side : `${side}/${path.dirname(name)}`;
      return change === "changed"
        ? `Files a/${name} and b/${name} differ`
        : `Only in ${folder}: ${path.basename(name)}`;
    });
    expect(`${sentences.join("\n")}\n`).toBe(told);
  });
});

describe("links and special files", () => {
  test("a link is compared by where it points to, and never followed", () => {
    writeFileSync(path.join(base, "secret"), "secret");
    for (const [name, a, b] of [
      ["equal", "../secret", "../secret"],
      ["moved", "../secret", "../other!"],
      ["folder", "..", "."],
    ] as const) {
      symlinkSync(a, at("a", name));
      symlinkSync(b, at("b", name));
    }
    put("file", "secret", null);
    symlinkSync("../secret", at("b", "file"));
    const comparison = compared();
    expect(lines(comparison)).toEqual([
      "changed file 6 link",
      "changed folder link link",
      "changed moved link link",
    ]);
    expect(comparison.differences.map(({ diff }) => diff)).toEqual([null, null, null]);
    expect(JSON.stringify(comparison)).not.toContain("secret");
  });

  test("a pipe is skipped without a wait for the other end", () => {
    for (const side of ["a", "b"]) execFileSync("mkfifo", [at(side, "pipe")]);
    expect(lines(compared())).toEqual([]);
  });
});

describe("differences of texts", () => {
  const diffOf = (contextLines?: number | "none") => compared(contextLines).differences[0]!.diff;

  test("are reported line by line", () => {
    put("x", "a\nb\nc\n", "a\nB\nc\n");
    expect(diffOf(1)).toBe("@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
    expect(diffOf(0)).toBe("@@ -2 +2 @@\n-b\n+B\n");
    expect(diffOf("none")).toBeNull();
  });

  test("say so when the last line has no end", () => {
    put("x", "a\n", "a");
    expect(diffOf()).toBe("@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n");
  });

  test("are not reported for files that are no text", () => {
    put("x", "a\0b\n", "a\0c\n");
    expect(diffOf()).toBeNull();
  });

  test("distinguish bytes that are not UTF-8", () => {
    put("x", Buffer.from([0xe9, 0x0a]), Buffer.from([0xe8, 0x0a]));
    expect(diffOf()).toBe("@@ -1 +1 @@\n-\ufffd\n+\ufffd\n");
  });

  test("are not reported for a large text", () => {
    put("x", "a".repeat((512 << 10) + 1), "b");
    expect(diffOf()).toBeNull();
  });

  test("stop where they are too long", () => {
    const numbers = (from: number) => Array.from({ length: 20_000 }, (_, n) => `${from + n}\n`).join("");
    put("x", numbers(0), numbers(100_000));
    const diff = diffOf()!;
    expect(diff.length).toBeLessThan(66_000);
    expect(diff).toMatch(/\n-\d+\n\\ More differences are not shown\.\n$/);
  });

  test("stop at the limit", () => {
    const text = (seed: string) => Array.from({ length: 9000 }, (_, n) => `${seed}${n}\n`).join("");
    for (let index = 10; index < 40; index += 1) put(`${index}`, text("a"), text("b"));
    const told = compared().differences.map(({ diff }) => diff !== null);
    expect(told).toEqual(told.toSorted((one, other) => Number(other) - Number(one)));
    expect(told.filter(Boolean).length).toBeGreaterThan(10);
    expect(told.filter(Boolean).length).toBeLessThan(20);
  });
});

function maybeTarget(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined; // it has been closed
  }
}

describe("limits", () => {
  test("nested folders", () => {
    put(`${"d/".repeat(201)}x`, null, "x");
    expect(() => compared()).toThrow("Too many nested directories (the maximum is 200)");
  });

  test("nothing is left open, also after a refusal", () => {
    // Counts only descriptors of this test, because parallel tests open files in the same process.
    const open = () =>
      readdirSync("/proc/self/fd")
        .map((descriptor) => maybeTarget(`/proc/self/fd/${descriptor}`))
        .filter((target) => target?.startsWith(base));
    put(`${"d/".repeat(20)}x`, "a", "b");
    compared();
    put(`${"d/".repeat(201)}x`, null, "x");
    expect(() => compared()).toThrow("Too many nested directories");
    expect(open()).toEqual([]);
  });
});

describe("in a thread of its own", () => {
  const request = () => ({ a: path.join(base, "a"), b: path.join(base, "b"), contextLines: 3 });
  const never = new AbortController().signal;

  test("more comparisons at once than places, each with an answer", async () => {
    put("x", "1", "2");
    const compare = comparingFewAtOnce();
    const answers = await Promise.all(Array.from({ length: 5 }, () => compare(request(), never)));
    for (const answer of answers) expect(lines(answer)).toEqual(["changed x 1 1"]);
  });

  test("a refusal comes out as one", async () => {
    put(`${"d/".repeat(201)}x`, null, "x");
    await expect(comparingFewAtOnce()(request(), never)).rejects.toMatchObject({ kind: "malformed" });
  });

  test("a comparison can be cancelled, which frees the place", async () => {
    const compare = comparingFewAtOnce();
    const over = AbortSignal.abort();
    const closing = new AbortController();
    const begun = [1, 2].map(() => compare(request(), closing.signal));
    const queued = compare(request(), over);
    closing.abort();
    const outcomes = await Promise.allSettled([...begun, queued]);
    const refusal: unknown = expect.objectContaining({ kind: "unavailable" });
    expect(outcomes).toEqual(outcomes.map(() => ({ status: "rejected", reason: refusal })));
    expect((await compare(request(), never)).differences).toEqual([]);
  });
});
