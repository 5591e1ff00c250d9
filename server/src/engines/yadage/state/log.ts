import type { Instruction } from "#engines/engine";
import type { Draft } from "#engines/yadage/state/state";

/** Lines of the engine's log in the words of Yadage, for REANA's acceptance tests. */

export function logLine(logger: string, line: string, level: "INFO" | "ERROR" = "INFO"): Instruction {
  return { do: "log", logger, level, line };
}

/** `</map:3|defined|unknown>`: the scope, the stage, the position in the stage, the state, and if a result exists. */
export function shownNode(draft: Draft, number: number, state: "defined" | "success" | "failed"): string {
  const { rule, index, result } = draft.node(number);
  const { scope, name } = draft.rule(rule);
  const known = result !== null || state === "success" ? "known" : "unknown";
  return `<${draft.scope(scope).offset}/${name}:${index}|${state}|${known}>`;
}
