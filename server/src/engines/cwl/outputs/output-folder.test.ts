import { expect, test } from "vitest";
import type { BoundTool } from "#engines/cwl/command/tool-context";
import { file, folder, link, withFiles } from "#engines/cwl/files-fixture";
import { OutputFolder } from "#engines/cwl/outputs/output-folder";
import { FactBook } from "#engines/cwl/values/facts";
import type { ListedEntry } from "#engines/engine";

/** Lists the folder of a job. The entry `in` is a link to the input `data`. */
function listed(entries: readonly ListedEntry[], deep: boolean) {
  const bound = {
    inputs: { data: { class: "Directory", location: "data" } },
    staged: { data: "job/in" },
  } as unknown as BoundTool;
  const collected = { listing: { entries: [link("job/in", "data")], isCut: false } };
  return withFiles([folder("data"), ...entries], (known) => {
    const facts = new FactBook(known);
    const outputs = new OutputFolder(
      "job",
      bound,
      { sums: [], texts: [], isCut: false, ...collected },
      facts,
      "main",
    );
    const result = outputs.withListing(outputs.itself(), deep).listing;
    const needs = facts.maybeNeeds();
    return needs ? { needs } : { result };
  }).result;
}

test("a link in an input folder that an output links to is followed as in inputs", () => {
  const f = { class: "File", location: "other/f", basename: "f", size: 2 };
  const l = { class: "Directory", location: "other", basename: "l", listing: [f] };
  expect(listed([link("data/l", "other"), folder("other"), file("other/f")], true)).toEqual([
    { class: "Directory", location: "data", basename: "in", listing: [l] },
  ]);
});

test.each(["data", "above"])("a link there to a folder around it, %s, fails the run", (target) => {
  const entries = [
    folder("above"),
    folder("above/data"),
    link("data/self", target),
    link("above/data/x", "data"),
  ];
  expect(() => listed(entries, true)).toThrow("leads to a folder that it lies in");
});
