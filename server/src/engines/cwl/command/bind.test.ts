import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { commandWords, shellLine } from "#engines/cwl/command/bind";
import { Evaluator } from "#engines/cwl/expressions/evaluator";
import type { Binding } from "#engines/cwl/model/bindings";
import type { Tool } from "#engines/cwl/model/model";
import type { CwlType } from "#engines/cwl/model/types";
import { evaluatesNothing } from "#engines/engine";

const evaluator = new Evaluator({
  evaluate: evaluatesNothing,
  version: "v1.2",
  javascript: undefined,
  what: "It",
});

const TYPES: Readonly<Record<string, CwlType>> = {
  string: "string",
  number: "double",
  boolean: "boolean",
  list: { kind: "array", items: "string" },
  null: "null",
};

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}

/** Returns the words of one input according to the specification's table of types. */
function wordsFor(value: unknown, { prefix, separate = true, itemSeparator }: Binding): string[] {
  const start = prefix === undefined ? [] : [prefix];
  const one = (text: string) => (separate ? [...start, text] : [(prefix ?? "") + text]);
  switch (kindOf(value)) {
    case "null":
      return [];
    case "boolean":
      return value === true ? start : [];
    case "list": {
      const items = value as string[];
      if (items.length === 0) return [];
      return itemSeparator === undefined ? [...start, ...items] : one(items.join(itemSeparator));
    }
    default:
      return one(String(value));
  }
}

interface Part {
  readonly position: number;
  /** The index of an argument, or the name of an input. */
  readonly tie: number | string;
  readonly words: readonly string[];
}

/** Sorts by position, then arguments before inputs, then by index or name, as an insertion sort. */
function lined(parts: readonly Part[]): string[] {
  const sorted: Part[] = [];
  const isBefore = (one: Part, other: Part): boolean => {
    if (one.position !== other.position) return one.position < other.position;
    if (typeof one.tie !== typeof other.tie) return typeof one.tie === "number";
    return one.tie < other.tie;
  };
  for (const part of parts) {
    const at = sorted.findIndex((other) => isBefore(part, other));
    sorted.splice(at === -1 ? sorted.length : at, 0, part);
  }
  return sorted.flatMap(({ words }) => words);
}

const TEXT = fc.stringMatching(/^[a-c '"$\\]{0,4}$/);
const VALUE = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  TEXT,
  fc.integer({ min: -9, max: 9 }),
  fc.array(TEXT, { maxLength: 3 }),
);
const BINDING = fc.record<Partial<Binding>>(
  {
    position: fc.integer({ min: -2, max: 2 }),
    prefix: fc.constantFrom("-p", "--long"),
    separate: fc.boolean(),
    itemSeparator: fc.constantFrom(",", " "),
  },
  { requiredKeys: [] },
);

test("the command line follows positions, then arguments, then names", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom("a", "B", "c", "10", "9"), fc.tuple(VALUE, BINDING), { maxKeys: 5 }),
      fc.array(fc.tuple(TEXT, fc.integer({ min: -2, max: 2 })), { maxLength: 3 }),
      (inputs, words) => {
        const tool = {
          baseCommand: ["run"],
          arguments: words.map(([valueFrom, position]) => ({ valueFrom, position })),
          inputs: Object.entries(inputs).map(([name, [value, binding]]) => ({
            name,
            type: TYPES[kindOf(value)]!,
            binding,
          })),
        } as unknown as Tool;
        const values = Object.fromEntries(Object.entries(inputs).map(([name, [value]]) => [name, value]));
        const made = commandWords(tool, { evaluator, variables: { inputs: values } });
        const parts = [
          ...words.map(([text, position], tie) => ({ position, tie, words: [text] })),
          ...Object.entries(inputs).map(([tie, [value, binding]]) => ({
            position: Number(binding.position ?? 0),
            tie,
            words: wordsFor(value, binding),
          })),
        ];
        expect(made.map(({ text }) => text)).toEqual(["run", ...lined(parts)]);
      },
    ),
    { numRuns: 300 },
  );
});

test("a shell reads quoted words as they are", () => {
  const odd = fc.sample(fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }), {
    numRuns: 200,
    seed: 3,
  });
  const words = ["", " ", "'", "\\", "\n", "$HOME", "`id`", "*", "~", "-n", "a'b\"c", ...odd].map((text) =>
    text.replaceAll("\u0000", ""),
  );
  const line = shellLine(["printf", String.raw`%s\0`, ...words].map((text) => ({ text, isQuoted: true })));
  const printed = execFileSync("/bin/sh", ["-c", line], { encoding: "utf8" });
  expect(printed.split("\0").slice(0, -1)).toEqual(words.map((text) => text.toWellFormed()));
});
