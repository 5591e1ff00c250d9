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
  return ({ source, input }) => {
    const value = input[JQ_INPUT];
    if (IDENTITIES.has(source.trim())) return { ok: true, value: [value] };
    return run(jq, source, JSON.stringify(value));
  };
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
