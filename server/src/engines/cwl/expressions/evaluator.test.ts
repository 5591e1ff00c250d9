import fc from "fast-check";
import { expect, test } from "vitest";
import { CwlFailure, Evaluator } from "#engines/cwl/expressions/evaluator";
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

test("a text of which a reference asks too much is shown in part", () => {
  const evaluator = new Evaluator({ evaluate, version: "v1.2", what: 'Step "s"', javascript: undefined });
  const long = { inputs: { text: "a".repeat(65536), made: {} } };
  expect(() => evaluator.value("$(inputs.text.length)", long, STDIN)).toThrow(
    /`inputs\.text` is "a{50,120}….{0,30}$/,
  );
  expect(() => evaluator.value("$(inputs.made.of)", long, STDIN)).toThrow("has no `of` (it is empty)");
});

test("an expression may log, and continues", () => {
  const evaluator = new Evaluator({ evaluate, version: "v1.2", what: 'Step "s"', javascript: {} });
  expect(evaluator.value("${ console.log(inputs); return inputs.text; }", variables, STDIN)).toBe("abc");
});

test("JavaScript knows the length of a text", () => {
  const evaluator = new Evaluator({ evaluate, version: "v1.2", what: 'Step "s"', javascript: {} });
  expect(evaluator.value("$(inputs.text.length)", variables, STDIN)).toBe(3);
});

const SIGNS = "$ ( ) { } [ ] . , ; \\ ' \" 0 1 -1 + && ? : / => = \n \0 \ud800".split(" ");
const WORDS =
  "$( ${ return function inputs self runtime .text ['none'] [0] .length null this new throw while(true) eval constructor __proto__ Function toString".split(
    " ",
  );
const PIECES = fc.constantFrom(" ", ...SIGNS, ...WORDS);

test("any text that looks like an expression has a value or a sentence", () => {
  const text = fc.array(PIECES, { maxLength: 12 }).map((pieces) => pieces.join(""));
  const written = fc.oneof(
    text,
    text.map((one) => `$(${one})`),
    text.map((one) => `\${ return ${one}; }`),
  );
  const quick: typeof evaluate = (evaluation) => evaluate({ ...evaluation, maxSteps: 1e5 });
  fc.assert(
    fc.property(
      written,
      fc.constantFrom("v1.0", "v1.2"),
      fc.constantFrom({}, undefined),
      (field, version, javascript) => {
        const evaluator = new Evaluator({ evaluate: quick, version, what: "It", javascript });
        valueOrNothing(() => JSON.stringify(evaluator.value(field, variables, STDIN)));
        expect(evaluator.value("$(inputs.text)", variables, STDIN)).toBe("abc");
      },
    ),
    { numRuns: 300 },
  );
});

test("a reference without JavaScript finds what JavaScript finds", () => {
  const key = fc.constantFrom("a", "b", "a b", "0", "length");
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<unknown>(null, 1, "x", false),
      fc.array(tie("any"), { maxLength: 2 }),
      fc.dictionary(key, tie("any"), { maxKeys: 3 }),
    ),
  })).any;
  const step = fc.oneof(
    key.map((name) => `["${name}"]`),
    fc.nat(2).map((index) => `[${index}]`),
    fc.constantFrom(".a", ".b"),
  );
  fc.assert(
    fc.property(value, fc.array(step, { maxLength: 3 }), (held, steps) => {
      const seen = { inputs: { held } };
      const [plain, script] = [undefined, {}].map(
        (javascript) => new Evaluator({ evaluate, version: "v1.2", what: "It", javascript }),
      );
      const source = `inputs.held${steps.join("")}`;
      const found = valueOrNothing(() => plain!.value(`$(${source})`, seen, STDIN));
      // JavaScript returns undefined for a missing value, or throws.
      if (found !== NOTHING) expect(script!.value(`\${ return ${source}; }`, seen, STDIN)).toEqual(found);
    }),
    { numRuns: 300 },
  );
});

const NOTHING = Symbol("nothing");

function valueOrNothing(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    expect(error).toBeInstanceOf(CwlFailure);
    return NOTHING;
  }
}
