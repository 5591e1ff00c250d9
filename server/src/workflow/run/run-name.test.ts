import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { type Address, checkName, fullName, parseAddress, runNumber } from "#workflow/run/run-name";

const ID = "00000000-0000-4000-8000-0123456789ab";

describe("an address", () => {
  const rows: readonly (readonly [string, Address])[] = [
    [ID, { kind: "id", id: ID }],
    [ID.toUpperCase(), { kind: "id", id: ID }],
    ["fit", { kind: "name", name: "fit" }],
    ["fit.", { kind: "name", name: "fit" }],
    ["fit.3", { kind: "name", name: "fit", run: { major: 3, minor: 0 } }],
    ["fit.3.1", { kind: "name", name: "fit", run: { major: 3, minor: 1 } }],
    ["fit.3.0", { kind: "name", name: "fit", run: { major: 3, minor: 0 } }],
    ["fit.3.", { kind: "name", name: "fit.3." }],
    ["fit.3.1.1", { kind: "name", name: "fit.3.1.1" }],
    ["fit.x", { kind: "name", name: "fit.x" }],
    ["fit.-1", { kind: "name", name: "fit.-1" }],
    ["fit.1e3", { kind: "name", name: "fit.1e3" }],
    ["fit.12345678901", { kind: "name", name: "fit.12345678901" }],
    ["my fit.2", { kind: "name", name: "my fit", run: { major: 2, minor: 0 } }],
    ["constructor", { kind: "name", name: "constructor" }],
    ["", { kind: "invalid", message: "Workflow name  is not valid." }],
    [".3", { kind: "invalid", message: "Workflow name .3 is not valid." }],
    ["mérés", { kind: "invalid", message: "Workflow name mérés is not valid." }],
    ["a\nb", { kind: "invalid", message: "Workflow name a\ufffdb is not valid." }],
  ];
  test.each(rows)("%j", (text, expected) => {
    expect(parseAddress(text)).toEqual(expected);
  });

  test("of any run leads back to that run", () => {
    const numbers = fc.integer({ min: 0, max: 999_999_999 });
    const names = fc.string().filter((name) => checkName(name) === undefined);
    fc.assert(
      fc.property(names, numbers, numbers, (name, major, minor) => {
        expect(parseAddress(fullName(name, major, minor))).toEqual({
          kind: "name",
          name,
          run: { major, minor },
        });
      }),
    );
  });

  test("can be any text at all", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => parseAddress(text).kind.length > 0));
  });
});

test("the minor number of a run that is no restart is left out", () => {
  expect([runNumber(3, 0), runNumber(3, 2), fullName("fit", 1, 0)]).toEqual(["3", "3.2", "fit.1"]);
});

describe("a name", () => {
  test.each([
    [ID, "Workflow name cannot be a valid UUIDv4."],
    ["a.b", 'Workflow name a.b contains illegal character "."'],
    ["a/b", 'Workflow name a/b contains illegal character "/"'],
    ["", "A workflow name cannot be empty."],
    ["a\u0000b", "Workflow name a\ufffdb contains a control character."],
    [" a", 'Workflow name " a" begins or ends with white space.'],
    ["a ", 'Workflow name "a " begins or ends with white space.'],
    ["mérés", "Workflow name mérés is not valid: it may hold ASCII characters only."],
    ["x".repeat(256), `Workflow name ${"x".repeat(80)}… is 256 bytes long; at most 255 are possible.`],
  ])("%j is refused", (name, sentence) => {
    expect(checkName(name)).toBe(sentence);
  });

  test.each(["fit", "my fit", "a_b-c", "x".repeat(255), "__proto__", "2026"])("%j is possible", (name) => {
    expect(checkName(name)).toBeUndefined();
  });
});
