import { JqThread } from "#plumbing/jq/jq-thread";
import type { Evaluate, Evaluation } from "#plumbing/javascript/evaluate";

/** The name of the input, which a program reads as `.`. */
export const JQ_INPUT = "input";

/** Far more than a program needs that arranges parameters, also on a busy machine. */
const PROGRAM_MAX_MS = 20_000;

/**
 * Returns an evaluator for jq. It runs a program (`source`) on the input named `JQ_INPUT`, and its value is the list of
 * all results. jq cannot count its steps, so the time of a program is limited.
 */
export function jqEvaluator(maxMs = PROGRAM_MAX_MS): Evaluate {
  const jq = new JqThread(maxMs);
  const known = new Map<string, Evaluation>();
  return ({ source, input }) => {
    const value = input[JQ_INPUT];
    if (IDENTITIES.has(source.trim())) return { ok: true, value: [value] };
    const json = JSON.stringify(value);
    const key = `${source}\0${json}`;
    const result = known.get(key) ?? run(jq, maxMs, source, json);
    if (key.length <= KNOWN_MAX_CHARS) keep(known, key, result);
    return result;
  };
}

/**
 * Limit of the result cache: a program takes a millisecond, and a run often repeats one with the same input.
 */
const KNOWN_MAX = 1000;
const KNOWN_MAX_CHARS = 2000;

function keep(known: Map<string, Evaluation>, key: string, result: Evaluation): void {
  known.set(key, result);
  if (known.size <= KNOWN_MAX) return;
  const [oldest] = known.keys();
  known.delete(oldest!);
}

/** Programs that return their input: by far the most frequent programs. */
const IDENTITIES: ReadonlySet<string> = new Set([".", ""]);

function run(jq: JqThread, maxMs: number, program: string, json: string): Evaluation {
  const result = jq.maybeRun(program, json);
  if (result === undefined) return { ok: false, reason: `it took more than ${maxMs / 1000} s` };
  if ("error" in result) return { ok: false, reason: reasonOf(result.error) };
  const lines = result.output.split("\n").filter((line) => line !== "");
  return { ok: true, value: lines.map((line) => JSON.parse(line) as unknown) };
}

/** Shortens an error message of jq to the part about the program. */
function reasonOf(text: string): string {
  const lines = text.split("\n").filter((line) => line.startsWith("jq: error"));
  const [line = text] = lines;
  return line
    .replace(/^jq: error(?: \([^)]*\))?: /, "")
    .replace(/ \(Unix shell quoting issues\?\)/, "")
    .replace(/:?$/, "");
}
