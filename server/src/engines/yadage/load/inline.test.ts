import { expect, test } from "vitest";
import type { Documents } from "#engines/documents";
import { inlineFile } from "#engines/yadage/load/inline";
import { Library } from "#engines/yadage/load/library";

/** Inlines `flows/main.yml`. The expected values are the results of yadage-schemas for the same files. */
function inlined(documents: Documents, base: string | null = null, file = "flows/main.yml") {
  const library = new Library(documents);
  const value = inlineFile(file, base, library);
  return { value, problems: library.problems, needed: library.needed };
}

test("references of the workflow start from the toplevel, and those of a document from its folder", () => {
  const documents = {
    "flows/main.yml": "one: {$ref: 'flows/steps.yml#/fit'}\ntwo: {$ref: 'lib.yml'}\n",
    "flows/steps.yml": "fit: {$ref: 'deep/parts.yml#/a'}\n",
    "flows/deep/parts.yml": "a: {$ref: '#/b'}\nb: right\n",
    "lib.yml": "{here: {$ref: 'flows/steps.yml#/fit'}}",
  };
  const value = { one: "right", two: { here: "right" } };
  expect(inlined(documents)).toEqual({ value, problems: [], needed: [] });
});

test("a workflow named by another document is read as a document: references start from the folder of the workflow", () => {
  const documents = {
    "flows/main.yml": "sub: {$ref: 'flows/again.yml'}\nlocal: {$ref: '#/sub/x'}\n",
    "flows/again.yml": "x: {$ref: 'parts.yml#/p'}\n",
    "flows/parts.yml": "p: 1\n",
  };
  expect(inlined(documents)).toMatchObject({ value: { sub: { x: 1 }, local: 1 }, problems: [] });
});

test("the toplevel may be a folder or an address", () => {
  const documents = {
    "specs/flows/main.yml": "one: {$ref: 'steps.yml#/fit'}\n",
    "specs/steps.yml": "fit: 1\n",
    "https://example.org/s/flows/main.yml": "one: {$ref: 'steps.yml#/fit'}\n",
    "https://example.org/s/steps.yml": "fit: 2\n",
  };
  expect(inlined(documents, "specs/-").value).toEqual({ one: 1 });
  expect(inlined(documents, "https://example.org/s/").value).toEqual({ one: 2 });
});

test("a missing document is named at its reference, by file, line and column", () => {
  const documents = { "flows/main.yml": "stages:\n- step: {$ref: 'steps.yml#/fit'}\n" };
  expect(inlined(documents).needed).toEqual([
    {
      location: "steps.yml",
      named: { path: "workflow.specification", file: "flows/main.yml", line: 2, column: 10 },
    },
  ]);
});

test.each([
  ["one: {$ref: '#/nothing'}\n", 'The reference "#/nothing" names nothing in flows/main.yml.', 1],
  ["\none: {$ref: 'other.yml#/a/z'}\n", 'The reference "other.yml#/a/z" names nothing in other.yml.', 2],
  ["a: 1\none: {$ref: '#/one'}\n", 'The reference "#/one" leads back to itself.', 2],
  ["a: {$ref: '#/a/b'}\n", 'The reference "#/a/b" leads back to itself.', 1],
  ["one: {$ref: '../../x.yml'}\n", '"../../x.yml" leads out of the workspace.', 1],
  ["one: {$ref: '#/%'}\n", 'The reference "#/%" names nothing in flows/main.yml.', 1],
])("%j is refused with its line", (text, message, line) => {
  const { problems } = inlined({ "flows/main.yml": text, "other.yml": "a: {b: 1}\n" });
  expect(problems).toMatchObject([{ message, file: "flows/main.yml", line }]);
});
