import type { Evaluate, Evaluation } from "#engines/engine";
import { messageOf } from "#plumbing/errors";

/**
 * A minimal expression language for trying engines: JSON, in which a list is a call. Expressions are pure, and every
 * call costs a step of the budget: `["join", "echo ", ["get", "item"]]`, `["more", ["get", "count"], 2]`. A library is
 * an object with expressions by name: `["use", "greeting"]`.
 */
export const evaluateTiny: Evaluate = ({ source, input, library = "{}", maxSteps = 1000 }): Evaluation => {
  const named = JSON.parse(library) as Readonly<Record<string, unknown>>;
  let left = maxSteps;
  const evaluate = (expression: unknown): unknown => {
    if (!Array.isArray(expression)) return expression;
    if (left <= 0) throw new Error(`it took more than ${maxSteps} steps`);
    left -= 1;
    const [name, ...rest] = expression as [unknown, ...unknown[]];
    if (name === "forever") return evaluate(expression);
    if (name === "use") return evaluate(named[String(rest[0])]);
    return call(name, rest.map(evaluate), input);
  };
  try {
    return { ok: true, value: evaluate(JSON.parse(source)) };
  } catch (error) {
    return { ok: false, reason: messageOf(error) };
  }
};

function call(name: unknown, values: readonly unknown[], input: Readonly<Record<string, unknown>>): unknown {
  switch (name) {
    case "get":
      return input[String(values[0])];
    case "join":
      return values.map(String).join("");
    case "more":
      return Number(values[0]) > Number(values[1]);
    default:
      throw new Error(`there is no function ${String(name)}`);
  }
}
