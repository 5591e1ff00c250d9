import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Evaluate, loadJavaScript } from "#plumbing/javascript/evaluate";
import { EXPORT_NAMES } from "#plumbing/javascript/quickjs-instance";

const evaluate = await loadJavaScript();
const valueOf = (source: string, input: Readonly<Record<string, unknown>> = {}, library?: string) =>
  evaluate({ source, input, ...(library !== undefined && { library }) });
const value = (expected: unknown) => expect.objectContaining({ ok: true, value: expected });
const failure = (reason: unknown) => expect.objectContaining({ ok: false, reason });

describe("an expression", () => {
  test("sees the input by name", () => {
    expect(valueOf("inputs.n + self.length", { inputs: { n: 2 }, self: "abc" })).toEqual(value(5));
    expect(valueOf("(function () { return {a: [inputs]}; })() // note", { inputs: null })).toEqual(
      value({ a: [null] }),
    );
  });

  test("sees the library, which sees the input during the call", () => {
    const library = "var greeting = 'Hello '; function greet() { return greeting + inputs.name; }";
    expect(valueOf("greet()", { inputs: { name: "Ada" } }, library)).toEqual(value("Hello Ada"));
    expect(valueOf("greet()", { inputs: { name: "Bob" } }, library)).toEqual(value("Hello Bob"));
    expect(valueOf("typeof greet")).toEqual(value("undefined"));
  });

  test("has a result that is plain JSON", () => {
    expect(valueOf("undefined")).toEqual(
      failure("its result has the type undefined, which JSON does not have"),
    );
    expect(valueOf("function () {}")).toEqual(
      failure("its result has the type function, which JSON does not have"),
    );
    expect(valueOf("[NaN, -1/0, undefined, Symbol('a')]")).toEqual(value([null, null, null, null]));
    expect(valueOf("new Date(2020, 0, 2)")).toEqual(value("2020-01-02T00:00:00.000Z"));
    expect(valueOf("({ toJSON: function () { return [1]; }, b: 2 })")).toEqual(value([1]));
    expect(valueOf("({ get a() { return 1; } })")).toEqual(value({ a: 1 }));
  });

  test("is in strict mode, as is its library", () => {
    expect(valueOf("(function () { return this === undefined; })()")).toEqual(value(true));
    expect(valueOf("(function () { undeclared = 1; })()")).toEqual(
      failure("it threw ReferenceError: 'undeclared' is not defined"),
    );
    expect(valueOf("1", {}, "undeclared = 1;")).toEqual(
      failure("its library failed: it threw ReferenceError: 'undeclared' is not defined"),
    );
  });

  test("a failed evaluation names the reason", () => {
    expect(valueOf("inputs.files[0].path", { inputs: {} })).toEqual(
      failure("it threw TypeError: cannot read property of undefined"),
    );
    expect(valueOf("1 +")).toEqual(failure(expect.stringMatching(/^it threw SyntaxError: /)));
    expect(valueOf("(function () { throw new RangeError('no'); })()")).toEqual(
      failure("it threw RangeError: no"),
    );
    expect(valueOf("(function () { throw 'text'; })()")).toEqual(failure("it threw text"));
    expect(valueOf("(function () { var a = {}; a.a = a; return a; })()")).toEqual(
      failure("it threw TypeError: circular reference"),
    );
    expect(valueOf("10n")).toEqual(failure(expect.stringContaining("BigInt")));
    expect(valueOf("1", {}, "function (")).toEqual(
      failure(expect.stringMatching(/^its library failed: it threw SyntaxError: /)),
    );
  });
});

describe("an evaluation is pure", () => {
  test("any JSON comes back as it was, as the input and through a library", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        const plain = JSON.parse(JSON.stringify(json)) as unknown;
        expect(valueOf("x", { x: plain })).toEqual(value(plain));
        expect(valueOf("same(x)", { x: plain }, "function same(y) { return y; }")).toEqual(value(plain));
      }),
    );
  });

  /** Each script changes something that later evaluations could see. */
  const CHANGES = [
    "leak = 1",
    "globalThis.leak = 1",
    "Object.prototype.leak = 1",
    "Array.prototype.map = null",
    "JSON.stringify = function () { return '666'; }",
    "JSON.parse = null",
    "Object.defineProperty(Object.prototype, 'x', { set: function () { throw 1; } })",
    "Array.prototype[Symbol.iterator] = null",
    "String.prototype.toJSON = function () { return 'leak'; }",
    "Object.prototype.toJSON = function () { return 'leak'; }",
    "Object.prototype.get = function () { return 'leak'; }",
    "kept.push(1)",
    "kept.length = 0",
    "(counter += 1)",
    "(add = null)",
    "add(1)",
    "Math.random()",
    "eval = null",
    "(globalThis.String = null)",
    "Object.freeze(globalThis) && 1",
    "Object.freeze(kept)",
    "Object.setPrototypeOf(globalThis, { leak: 1 }) && 1",
    "Promise.resolve().then(function () { globalThis.leak = 1; })",
    "(function () { for (;;); })()",
    "(function f() { f(); })()",
    "eval('['.repeat(1e5))",
    "new Uint8Array(2.8e7).length",
    "zeros.fill(9).length",
    "import('fs')",
  ];
  const LIBRARY = `
    var counter = 0, kept = [1, 2], zeros = new Uint8Array(1e5);
    function add(n) { counter += n; kept.push(counter); return counter; }
  `;
  const PROBE = `[typeof leak, counter, kept, add(2), [3].map(String), Math.random(), Math.random(), Date.now(),
    zeros.indexOf(9), Object.keys({}), JSON.stringify({ a: 1 }), eval("1"), Object.isFrozen(globalThis), x]`;

  test.each([
    ["with a library", LIBRARY],
    ["with another", `${LIBRARY} // another`],
  ])("and changes no state for the next evaluation %s", (_name, library) => {
    const probe = () => evaluate({ source: PROBE, input: { x: { a: 1 } }, library });
    const first = probe();
    expect(first).toMatchObject({ ok: true });
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...CHANGES), { maxLength: 3 }), (sources) => {
        for (const source of sources) evaluate({ source, input: { x: 1 }, library, maxSteps: 1e6 });
        expect(probe()).toEqual(first);
      }),
      { numRuns: 25 },
    );
  });

  test("another interpreter returns the same, whatever either has evaluated before", async () => {
    const other = await loadJavaScript();
    other({ source: "1", input: {}, library: LIBRARY });
    const all = (which: Evaluate) =>
      CHANGES.map((source) => which({ source, input: {}, library: LIBRARY, maxSteps: 1e6 }));
    expect(all(other)).toEqual(all(evaluate));
  });

  test("the clock stands still, in UTC, and random numbers repeat", () => {
    expect(valueOf("[Date.now(), new Date(), new Date(2020, 6, 1).getTimezoneOffset()]")).toEqual(
      value([0, "1970-01-01T00:00:00.000Z", 0]),
    );
    expect(valueOf("Math.random()")).toEqual(valueOf("Math.random()"));
  });

  test("libraries of more bytes than are kept are run again", () => {
    for (let round = 0; round < 2; round += 1) {
      for (let n = 0; n < 12; n += 1) {
        const library = `var n = ${n}, filler = new Uint8Array(1e7).fill(n);`;
        expect(valueOf("[n, filler[9999999]]", {}, library)).toEqual(value([n, n]));
      }
    }
  });
});

describe("limits", () => {
  const tooManySteps = failure("it took more than 1000000 steps");
  const tooDeep = failure(expect.stringMatching(/stack overflow|^it nests too deeply$/));
  const tooLarge = failure(expect.stringMatching(/out of memory|too long|too large|runs? out of memory/));

  test.each([
    ["(function () { for (;;); })()", tooManySteps],
    ["(function () { for (;;) try { for (;;); } catch (e) {} finally { continue; } })()", tooManySteps],
    ["({ get a() { for (;;); } })", tooManySteps],
    ["({ toJSON: function () { for (;;); } })", tooManySteps],
    ["(function () { throw { get message() { for (;;); } }; })()", tooManySteps],
    ["(function () { throw { toString: function () { for (;;); } }; })()", failure(expect.any(String))],
    ["/^(a+)+$/.test('a'.repeat(50) + 'b')", tooManySteps],
    ["'a'.repeat(50).replace(/(a|aa)+$b/g, '')", tooManySteps],
    ["new Proxy({}, { ownKeys: function () { for (;;); } })", tooManySteps],
    ["[1].sort(function () { for (;;); }) && [2, 1].sort(function () { for (;;); })", tooManySteps],
    ["(function f() { return f() + 1; })()", tooDeep],
    ["(function f() { return [1].map(f); })()", tooDeep],
    ["(function f() { return 'a'.replace(/a/, f); })()", tooDeep],
    ["(function f() { return JSON.stringify({ toJSON: f }); })()", tooDeep],
    ["JSON.parse('['.repeat(1e5))", tooDeep],
    ["eval('['.repeat(1e5))", tooDeep],
    ["eval('!'.repeat(1e5) + 1)", tooDeep],
    ["(function () { var a = []; for (var i = 0; i < 1e5; i += 1) a = [a]; return a; })()", tooDeep],
    ["(function () { var a = []; for (var i = 0; i < 501; i += 1) a = [a]; return a; })()", tooDeep],
    ["(function () { var a = []; for (;;) a.push({}); })()", expect.objectContaining({ ok: false })],
    ["(function () { var s = 'x'; for (;;) s += s; })()", tooLarge],
    ["'x'.repeat(100e6)", tooLarge],
    ["new Uint8Array(100e6).length", tooLarge],
    ["Array.from({ length: 1e9 }).length", tooLarge],
    ["'x'.repeat(5e6)", failure("its result has 5000002 characters; at most 4194304 are allowed")],
    ["2n ** 100000000n > 1", tooLarge],
  ])("%s", (source, expected) => {
    expect(evaluate({ source, input: {}, maxSteps: 1e6 })).toEqual(expected);
    expect(valueOf("1 + 1")).toEqual(value(2));
  });

  test("steps are counted alike each time", () => {
    const source = "(function () { for (var i = 0; i < n; i += 1); return i; })()";
    const passes = (n: number) => evaluate({ source, input: { n }, maxSteps: 1e5 }).ok;
    const edges = Array.from({ length: 3 }, () => {
      let [low, high] = [0, 2e5];
      while (high - low > 1) {
        const middle = Math.floor((low + high) / 2);
        if (passes(middle)) low = middle;
        else high = middle;
      }
      return low;
    });
    expect(new Set(edges).size).toBe(1);
    expect(edges[0]).toBeGreaterThan(0.4e5);
  });

  test("a library has the functions too", () => {
    expect(valueOf("1", {}, "for (;;);")).toEqual(
      failure("its library failed: it took more than 100000000 steps"),
    );
    expect(valueOf("1", {}, "var a = new Uint8Array(1e8);")).toEqual(tooLarge);
  });

  test("an input that is too large is refused", () => {
    expect(valueOf("text.length", { text: "x".repeat(5e6) })).toEqual(value(5e6));
    expect(valueOf("text.length", { text: "x".repeat(70e6) })).toEqual(failure(expect.any(String)));
    expect(valueOf("1")).toEqual(value(1));
  });
});

describe("no way out exists", () => {
  test.each([
    "typeof process + typeof require + typeof module + typeof fetch + typeof WebAssembly + typeof std + typeof os",
    "typeof setTimeout + typeof console + typeof print + typeof performance + typeof crypto",
  ])("%s", (source) => expect(valueOf(source)).toEqual(value(expect.stringMatching(/^(undefined)+$/))));

  test.each([
    "this.constructor.constructor('return process')()",
    "(function () {}).constructor('return process.pid')()",
    "Function('return globalThis.process.pid')()",
    "(async function () {}).constructor('return process')()",
    "inputs.constructor.constructor('return process')()",
    "Reflect.construct(Function, ['return process'])()",
    "(0, eval)('process')",
    "new Proxy(inputs, {}).constructor.constructor('return process')()",
    "(function () { try { null.x; } catch (e) { return e.constructor.constructor('return process')(); } })()",
    "(function () { Error.prepareStackTrace = function (e, s) { return s; }; return process; })()",
  ])("%s", (source) => {
    const result = evaluate({ source, input: { inputs: {} } });
    expect(result.ok ? result.value : result.reason).toEqual(
      result.ok ? {} : expect.stringMatching(/process|undefined/),
    );
  });

  test("an import leads nowhere", () => {
    expect(valueOf("import('fs')")).toEqual(value({}));
    expect(valueOf("import('data:text/javascript,1')")).toEqual(value({}));
    expect(valueOf("import.meta.url").ok).toBe(false);
  });

  test.each([
    `JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}')`,
    "Object.defineProperty({}, '__proto__', { value: { polluted: 1 }, enumerable: true })",
    "Object.setPrototypeOf({}, { polluted: 1 })",
  ])("a result cannot change a prototype: %s", (source) => {
    const result = valueOf(source);
    expect(result.ok && Object.getPrototypeOf(result.value)).toBe(Object.prototype);
    expect("polluted" in {}).toBe(false);
  });

  test("an input cannot change one either", () => {
    const input = JSON.parse('{"__proto__": {"polluted": 1}, "x": {"__proto__": {"polluted": 2}}}') as {};
    expect(valueOf("[typeof polluted, ({}).polluted, x.polluted]", input)).toEqual(
      value(["undefined", null, null]),
    );
  });

  test("a result that looks like an answer of the interpreter is a result", () => {
    expect(valueOf("'!it took'")).toEqual(value("!it took"));
    expect(valueOf("'=1'")).toEqual(value("=1"));
    expect(valueOf("'a\\u0000b'")).toEqual(value("a\u0000b"));
    expect(valueOf("'\\ud800'")).toEqual(value("\ud800"));
    expect(valueOf("1); throw 2; (3")).toEqual(failure("it threw 2"));
    expect(valueOf("1) + (2")).toEqual(value(3));
  });
});

test("the names of the binary equal the names in the loader", async () => {
  const file = createRequire(import.meta.url).resolve(
    "@jitl/quickjs-wasmfile-release-sync/emscripten-module",
  );
  const loader = await readFile(file.replace(/cjs$/, "mjs"), "utf8");
  const C_NAMES: Readonly<Record<string, string>> = {
    malloc: "_malloc",
    setMemoryLimit: "_QTS_RuntimeSetMemoryLimit",
    setMaxStackSize: "_QTS_RuntimeSetMaxStackSize",
    enableInterruptHandler: "_QTS_RuntimeEnableInterruptHandler",
    evaluate: "_QTS_Eval",
  };
  for (const [name, short] of Object.entries(EXPORT_NAMES)) {
    if (name === "initialize") expect(loader).toContain(`Z.${short}();`);
    else {
      const long = C_NAMES[name] ?? `_QTS_${name[0]!.toUpperCase()}${name.slice(1)}`;
      expect(loader.replaceAll("\n", "")).toContain(`d.${long}=b.${short};`);
    }
  }
});

describe("the steps of an evaluation", () => {
  const LOOP = "(function () { for (var n = 0; n < 1e6; n++); return 1; })()";
  const stepsOf = (source: string, input = {}, library?: string) => valueOf(source, input, library).steps!;

  test("grow with the loops of source and library, and with the input", () => {
    expect(stepsOf("1")).toBeLessThan(20_000);
    expect(stepsOf(LOOP)).toBeGreaterThan(500_000);
    expect(stepsOf("1", {}, `var one = ${LOOP};`)).toBeGreaterThan(500_000);
    expect(stepsOf("1", { inputs: "x".repeat(1e6) })).toBeGreaterThan(1e6);
    expect(stepsOf("(function () { for (;;); })()")).toBeGreaterThan(100_000_000);
  });

  test("are the same in another process, and if the library is known", async () => {
    const library = `var one = ${LOOP};`;
    const first = stepsOf("one", { inputs: 1 }, library);
    expect(stepsOf("one", { inputs: 1 }, library)).toBe(first);
    const other = await loadJavaScript();
    expect(other({ source: "one", input: { inputs: 1 }, library }).steps).toBe(first);
  });
});
