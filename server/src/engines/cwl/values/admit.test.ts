import { describe, expect, test } from "vitest";
import { Evaluator } from "#engines/cwl/expressions/evaluator";
import { file, folder, link, withFiles } from "#engines/cwl/files-fixture";
import { completeInputs } from "#engines/cwl/values/admit";
import { FactBook } from "#engines/cwl/values/facts";
import type { FileValue } from "#engines/cwl/values/files";
import type { ListedEntry } from "#engines/engine";

const evaluator = new Evaluator({
  evaluate: () => {
    throw new Error("There are no expressions.");
  },
  version: "v1.2",
  javascript: undefined,
  what: "main.cwl",
});

/** Lists the input folder `in/data` in a workspace with the given entries. */
function listed(entries: readonly ListedEntry[], defaultListing: "shallow_listing" | "deep_listing") {
  const inputs = { data: { class: "Directory", location: "in/data" } };
  const parameter = { name: "data", secondaryFiles: [], format: [], loadContents: false };
  const { result, rounds } = withFiles([folder("in/data"), ...entries], (known) => {
    const facts = new FactBook(known);
    const admitted = completeInputs(
      [{ ...parameter, type: "Directory" }],
      inputs,
      {
        facts,
        evaluator,
        places: { workspaceFolder: "/w", staged: {} },
        isOutermost: true,
        refusesLongContents: true,
        defaultListing,
        formats: {},
      },
      "main.cwl",
    );
    const needs = facts.maybeNeeds();
    return needs ? { needs } : { result: admitted["data"] as FileValue };
  });
  return { listing: shown(result), asked: rounds.flat().map((ask) => ask.do) };
}

/** Returns the listing of a folder as names: with the locations of files, and the listings of folders. */
function shown({ listing, location }: FileValue): unknown {
  if (!listing) return { location };
  return Object.fromEntries(
    listing.map((one) => [one.basename, one.class === "File" ? one.location : shown(one)]),
  );
}

const A = [folder("in/data/a"), folder("in/data/a/b"), file("in/data/a/b/f")];

describe("a link in an input folder", () => {
  test.each(["shallow_listing", "deep_listing"] as const)("to a folder around it is left out (%s)", (how) => {
    const links = [link("in/data/self", "in/data"), link("in/data/up", "in"), link("in/data/top", "")];
    const { listing, asked } = listed([folder("in"), ...links, file("in/data/f")], how);
    expect(listing).toEqual({ f: "in/data/f" });
    expect(asked).toEqual(["look", "list"]);
  });

  test("to a folder inside another one is a folder, however deep the listing is", () => {
    const entries = [...A, link("in/data/l", "in/data/a/b")];
    const b = { f: "in/data/a/b/f" };
    expect(listed(entries, "deep_listing")).toEqual({ listing: { a: { b }, l: b }, asked: ["look", "list"] });
    expect(listed(entries, "shallow_listing")).toEqual({
      listing: { a: { location: "in/data/a" }, l: { location: "in/data/a/b" } },
      asked: ["look", "list", "look"],
    });
  });

  test("to a folder elsewhere is listed as that folder, and a circle through it is left out", () => {
    const other = [folder("other"), file("other/x"), link("other/back", "in/data"), link("other/in", "in")];
    const entries = [folder("in"), file("in/y"), link("in/data/l", "other"), ...other];
    expect(listed(entries, "deep_listing").listing).toEqual({
      l: { x: "other/x", in: { y: "in/y" } },
    });
    expect(listed(entries, "shallow_listing").listing).toEqual({ l: { location: "other" } });
  });

  test("to a link outside of the workspace is what that link leads to", () => {
    const entries = [link("in/data/l", "/shared/new"), link("/shared/new", "/shared/2"), folder("/shared/2")];
    expect(listed([...entries, file("/shared/2/f")], "deep_listing").listing).toEqual({
      l: { f: "/shared/2/f" },
    });
  });

  test("to a file elsewhere, or to nothing in the workspace, is a file", () => {
    const entries = [file("other/x"), link("in/data/l", "other/x"), link("in/data/gone", "other/no")];
    expect(listed([...entries, link("in/data/out", null)], "deep_listing").listing).toEqual({
      l: "other/x",
      gone: "other/no",
    });
  });

  test("to folders elsewhere with many files is refused before all of them are read", () => {
    const big = Array.from({ length: 40 }, (_, at) => [
      link(`in/data/${at}`, `other/${at}`),
      folder(`other/${at}`),
      ...Array.from({ length: 1000 }, (__, name) => file(`other/${at}/${name}`)),
    ]);
    expect(() => listed(big.flat(), "deep_listing")).toThrow(
      /^main.cwl: the input `data`: the link in\/data\/9 leads to more folders than can be listed/,
    );
  });
});
