import { expect, test } from "vitest";
import { Evaluator } from "#engines/cwl/expressions/evaluator";
import { loadJavaScript } from "#plumbing/javascript/evaluate";

const evaluate = await loadJavaScript();
const STDIN = { field: "`stdin`" };
const variables = { inputs: { text: "abc", none: null } };

test.each([{}, undefined])(
  "a reference to what is not there fails, with JavaScript (%j) or without",
  (javascript) => {
    const evaluator = new Evaluator({ evaluate, version: "v1.2", what: 'Step "s"', javascript });
    expect(() => evaluator.value("$(inputs.absent)", variables, STDIN)).toThrow(
      'Step "s", `stdin`: the expression `$(inputs.absent)` cannot be evaluated: `inputs` has no `absent`',
    );
    expect(evaluator.value("$(inputs.none)", variables, STDIN)).toBeNull();
  },
);

test("an expression may log, and goes on", () => {
  const evaluator = new Evaluator({ evaluate, version: "v1.2", what: 'Step "s"', javascript: {} });
  expect(evaluator.value("${ console.log(inputs); return inputs.text; }", variables, STDIN)).toBe("abc");
});

test("JavaScript knows the length of a text", () => {
  const evaluator = new Evaluator({ evaluate, version: "v1.2", what: 'Step "s"', javascript: {} });
  expect(evaluator.value("$(inputs.text.length)", variables, STDIN)).toBe(3);
});
