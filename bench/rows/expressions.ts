import { loadJavaScript } from "../../server/src/plumbing/javascript/evaluate.ts";
import { atMost, type Row } from "../support/table.ts";

const EXPRESSIONS = 10_000;
const FILES = 20;

/**
 * Measures expressions with a library of 50 KB. Each starts from the interpreter's state after the library.
 */
export async function expressions(): Promise<Row[]> {
  const evaluate = await loadJavaScript();
  const library = libraryOf(50_000);
  const files = Array.from({ length: FILES }, (_, n) => ({ path: `/data/file-${n}.root`, size: n * 1000 }));
  const beganAt = performance.now();
  for (let n = 0; n < EXPRESSIONS; n += 1) {
    const source = `inputs.files.map(function (file) { return file.path; }).concat(step${n % 100}(${n}))`;
    const result = evaluate({ library, source, input: { inputs: { files } } });
    if (!result.ok) throw new Error(result.reason);
  }
  const eachMs = (performance.now() - beganAt) / EXPRESSIONS;
  const what = `an expression with a library of 50 KB, of ${EXPRESSIONS.toLocaleString("en")}, µs`;
  return [atMost(what, "–", eachMs * 1000, 600, "µs")];
}

/** Returns a script of functions, arrays and objects. */
function libraryOf(bytes: number): string {
  let script = "var steps = {};\n";
  for (let n = 0; script.length < bytes; n += 1) {
    script += `function step${n}(x) { var list = [x, ${n}]; return list.map(function (y) { return "step " + y; }); }\n`;
    script += `steps["step ${n}"] = { call: step${n}, names: ["a${n}", "b${n}"], depth: { of: ${n} } };\n`;
  }
  return script;
}
