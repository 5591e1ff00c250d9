import fc from "fast-check";
import { expect, test } from "vitest";
import { fit } from "#engines/cwl/checks/type-fit";
import type { CwlType } from "#engines/cwl/model/types";
import { mismatch } from "#engines/cwl/values/conform";

/** Values without a narrower type: a whole float would also be an int. */
const VALUES: Readonly<Record<string, unknown>> = {
  null: null,
  boolean: true,
  int: 5,
  long: 2 ** 40,
  float: 1.5,
  double: 1e-300,
  string: "text",
  File: { class: "File", location: "a" },
  Directory: { class: "Directory", location: "a" },
};

const PRIMITIVE = fc.constantFrom(...(Object.keys(VALUES) as Extract<CwlType, string>[]));
const { type: TYPE } = fc.letrec<{ type: CwlType }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    PRIMITIVE,
    fc.record({ kind: fc.constant("array" as const), items: tie("type") }),
    fc.record({
      kind: fc.constant("enum" as const),
      symbols: fc.subarray(["red", "green", "blue"], { minLength: 1 }),
    }),
    fc.record({
      kind: fc.constant("union" as const),
      of: fc.array(PRIMITIVE, { minLength: 1, maxLength: 3 }),
    }),
    fc.dictionary(fc.constantFrom("a", "b"), tie("type"), { minKeys: 1 }).map(recordOf),
  ),
}));

function recordOf(types: Readonly<Record<string, CwlType>>): CwlType {
  const fields = Object.entries(types).map(([name, type]) => ({
    name,
    type,
    secondaryFiles: [],
    format: [],
    loadContents: false,
  }));
  return { kind: "record", fields };
}

/** Returns values of a type, at least one for each branch. No list is empty: an empty list fits every list type. */
function valuesOf(type: CwlType): readonly unknown[] {
  if (typeof type === "string") return [VALUES[type]];
  switch (type.kind) {
    case "union":
      return type.of.flatMap(valuesOf);
    case "enum":
      return type.symbols;
    case "array":
      return valuesOf(type.items).map((item) => [item]);
    case "record": {
      const all = type.fields.map(({ name, type: field }) =>
        valuesOf(field).map((value) => [name, value] as const),
      );
      const most = Math.max(...all.map(({ length }) => length));
      return Array.from({ length: most }, (_, at) =>
        Object.fromEntries(all.map((values) => values[at % values.length]!)),
      );
    }
  }
}

function hasNull(value: unknown): boolean {
  return JSON.stringify(value).includes("null");
}

test("all values conform to a type that always fits, and only values with null to one that never fits", () => {
  fc.assert(
    fc.property(TYPE, TYPE, (source, sink) => {
      const conforming = valuesOf(source).filter((value) => mismatch(value, sink) === undefined);
      const verdict = fit(source, sink);
      if (verdict === "always") expect(conforming).toEqual(valuesOf(source));
      if (verdict === "never") expect(conforming.filter((value) => !hasNull(value))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
