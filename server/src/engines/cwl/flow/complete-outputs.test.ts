import { describe, expect, test } from "vitest";
import { completeOutputs } from "#engines/cwl/flow/complete-outputs";
import { file, folder, link, withFiles } from "#engines/cwl/files-fixture";
import type { ListedEntry } from "#engines/engine";

/** Completes the output `made`, a folder, in a workspace with the given entries. Also returns the questions asked. */
function completed(entries: readonly ListedEntry[], inputs: readonly unknown[] = []) {
  const values = { made: { class: "Directory", location: "out", basename: "out" } };
  const origins = { whatOf: (name: string) => `Step "s": the output \`${name}\``, inputs: () => inputs };
  const { result, rounds } = withFiles(entries, (facts) => {
    const settled = completeOutputs(values, facts, origins);
    return "needs" in settled ? settled : { result: settled.values["made"] };
  });
  return { listing: shown(result), asked: rounds.flat(), rounds };
}

/** Returns the listing of a folder as names, with the checksums of files. */
function shown(value: unknown): unknown {
  const { listing = [] } = value as { readonly listing?: readonly Record<string, unknown>[] };
  return Object.fromEntries(
    listing.map((one) => [one["basename"], one["class"] === "File" ? one["checksum"] : shown(one)]),
  );
}

const A = [folder("out"), folder("out/a"), file("out/a/f"), folder("out/b")];

describe("a link in a folder that is an output", () => {
  test("counts as the target file or folder", () => {
    const { listing, asked } = completed([...A, link("out/b/l", "out/a"), link("out/g", "out/a/f")]);
    const a = { f: "sha1$out/a/f" };
    expect(listing).toEqual({ a, b: { l: a }, g: "sha1$out/a/f" });
    expect(asked.map((ask) => ask.do)).toEqual(["list", "checksum"]);
  });

  test("may lead to another folder of the workspace, which is listed once", () => {
    const others = [folder("data"), file("data/x")];
    const { listing, asked } = completed([link("out/k", "data"), link("out/l", "data"), ...others]);
    expect(listing).toEqual({ k: { x: "sha1$data/x" }, l: { x: "sha1$data/x" } });
    expect(asked.map((ask) => ask.do)).toEqual(["list", "look", "list", "checksum"]);
  });

  test("may lead to an input outside of the workspace, and nowhere else there", () => {
    const entries = [link("out/l", "/in/d"), folder("/in/d"), file("/in/d/x")];
    const given = [{ files: [{ class: "Directory", location: "/in" }] }];
    expect(completed(entries, given).listing).toEqual({ l: { x: "sha1$/in/d/x" } });
    expect(() => completed(entries)).toThrow("the link out/l leads outside of the files of the run");
  });

  test.each<[string, string | null, string]>([
    ["nowhere", "out/no", "leads to out/no, which does not exist. Remove the link, or make the file."],
    ["outside", null, "leads outside of the files of the run, or nowhere. Copy the file into the folder"],
    ["to its own folder", "out", "leads to a folder that it lies in, so its listing would have no end."],
    ["to the workspace", "", "leads to a folder that it lies in, so its listing would have no end."],
  ])("that leads %s fails the run with step, port and link", (_, target, reason) => {
    expect(() => completed([...A, link("out/b/l", target)])).toThrow(
      `Step "s": the output \`made\`: the link out/b/l ${reason}`,
    );
  });

  test("may lead in a circle only with others: also then, the circle is found", () => {
    const circle = [folder("out/c"), folder("out/d"), link("out/c/x", "out/d"), link("out/d/y", "out/c")];
    expect(() => completed(circle)).toThrow("the link out/d/y leads to a folder that it lies in");
    const above = [folder("data"), folder("data/e"), link("out/l", "data/e"), link("data/e/up", "data")];
    expect(() => completed(above)).toThrow("the link data/e/up leads to a folder that it lies in");
  });
});

/** Folders with two links each to the next folder: the last folder is reached on 2^n paths. */
const doubling = (levels: number) =>
  Array.from({ length: levels }, (_, at) => [
    folder(`out/${at}`),
    ...(at + 1 < levels ? [link(`out/${at}/a`, `out/${at + 1}`), link(`out/${at}/b`, `out/${at + 1}`)] : []),
  ]).flat();

test("links to folders with links add at most 10000 files and folders, and are refused soon", () => {
  expect(() => completed(doubling(40))).toThrow(
    /^Step "s": the output `made`: the link out\/\d+\/[ab] leads to more folders than can be listed: links to folders may add at most 10000 files/,
  );
  expect(Object.keys(completed(doubling(8)).listing as object)).toHaveLength(8);
});

test("folders behind chains of links are refused before the stack is full", () => {
  const chain = Array.from({ length: 4000 }, (_, at) => [
    folder(`out/${at}`),
    link(`out/${at}/next`, `out/${at + 1}`),
  ]).flat();
  expect(() => completed([...chain, folder("out/4000")])).toThrow("leads to more folders than can be listed");
});

test("a folder with many folders is listed by one request", () => {
  const many = Array.from({ length: 3000 }, (_, at) => [folder(`out/${at}`), file(`out/${at}/f`)]).flat();
  const { asked } = completed(many);
  expect(asked.filter((ask) => ask.do === "list")).toHaveLength(1);
});

test("folders elsewhere are listed a few at a time, so that too many are refused before they are read", () => {
  const elsewhere = Array.from({ length: 25 }, (_, at) => [
    folder(`data/${at}`),
    link(`out/${at}`, `data/${at}`),
  ]);
  const { rounds } = completed(elsewhere.flat());
  const lists = rounds.map((asks) => asks.filter((ask) => ask.do === "list").length);
  expect(lists).toEqual([1, 0, 10, 10, 5]);
});
