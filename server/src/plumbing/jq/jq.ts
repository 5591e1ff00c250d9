import { createRequire } from "node:module";
import { messageOf } from "#plumbing/errors";
import type { Evaluate, Evaluation } from "#plumbing/javascript/evaluate";

interface Jq {
  raw(json: string, program: string, flags: readonly string[]): string | undefined;
}

/** The name of the input of a program, which sees it as `.`. */
export const JQ_INPUT = "input";

/**
 * Loads jq. The evaluator runs a program (`source`) on the input named `JQ_INPUT`, and its value is the list of all
 * results. Programs have no limit on their steps: the worker process of the engine limits their time and memory.
 */
export async function loadJq(): Promise<Evaluate> {
  // The module is a promise, which an `import` would wait for in a way that bundlers treat differently.
  const jq = await (createRequire(import.meta.url)("jq-web") as Promise<Jq>);
  const known = new Map<string, Evaluation>();
  return ({ source, input }) => {
    const value = input[JQ_INPUT];
    if (IDENTITIES.has(source.trim())) return { ok: true, value: [value] };
    const json = JSON.stringify(value);
    const key = `${source}\0${json}`;
    const result = known.get(key) ?? run(jq, source, json);
    if (key.length <= KNOWN_MAX_CHARS) keep(known, key, result);
    return result;
  };
}

/** Results that are kept: a program takes a millisecond, and a run often repeats one with the same input. */
const KNOWN_MAX = 1000;
const KNOWN_MAX_CHARS = 2000;

function keep(known: Map<string, Evaluation>, key: string, result: Evaluation): void {
  known.set(key, result);
  if (known.size <= KNOWN_MAX) return;
  const [oldest] = known.keys();
  known.delete(oldest!);
}

/** Programs that return their input. They are by far the most frequent. */
const IDENTITIES: ReadonlySet<string> = new Set([".", ""]);

function run(jq: Jq, program: string, json: string): Evaluation {
  try {
    const lines = (jq.raw(json, program, ["-c"]) ?? "").split("\n");
    return {
      ok: true,
      value: lines.filter((line) => line !== "").map((line) => JSON.parse(line) as unknown),
    };
  } catch (error) {
    return { ok: false, reason: reasonOf(messageOf(error)) };
  }
}

/** Shortens the text of jq to what it says about the program. */
function reasonOf(text: string): string {
  const lines = text.split("\n").filter((line) => line.startsWith("jq: error"));
  const [line = text] = lines;
  return line
    .replace(/^jq: error(?: \([^)]*\))?: /, "")
    .replace(/ \(Unix shell quoting issues\?\)/, "")
    .replace(/:?$/, "");
}
