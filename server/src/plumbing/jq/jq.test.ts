import { expect, test } from "vitest";
import { jqEvaluator } from "#plumbing/jq/jq";

const evaluate = jqEvaluator();
const results = (source: string, input: unknown) => evaluate({ source, input: { input } });

test("a program has all its results, in order", () => {
  expect(results(".", { a: 1 })).toEqual({ ok: true, value: [{ a: 1 }] });
  expect(results(".[] | [.]", [1, "b"])).toEqual({ ok: true, value: [[1], ["b"]] });
  expect(results("empty", null)).toEqual({ ok: true, value: [] });
  expect(results('[paths(type == "string")], ("é\\n" | length)', { a: ["x"] })).toEqual({
    ok: true,
    value: [[["a", 0]], 2],
  });
});

test("a program that fails says why", () => {
  expect(results(".a", 1)).toEqual({ ok: false, reason: 'Cannot index number with string "a"' });
  expect(results("][", 1)).toMatchObject({
    ok: false,
    reason: expect.stringContaining("syntax error") as string,
  });
  expect(results('error("no")', 1)).toEqual({ ok: false, reason: "no" });
});

test("a program that never ends is ended, and the next one runs", () => {
  const hasty = jqEvaluator(300);
  hasty({ source: ".a", input: { input: {} } });
  expect(hasty({ source: "def f: f; f", input: { input: 1 } })).toEqual({
    ok: false,
    reason: "it took more than 0.3 s",
  });
  const patient = jqEvaluator();
  expect(patient({ source: ".+1", input: { input: 1 } })).toEqual({ ok: true, value: [2] });
});
