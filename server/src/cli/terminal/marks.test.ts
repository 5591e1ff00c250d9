import { expect, test } from "vitest";
import { markOf, marksFor } from "#cli/terminal/marks";

const GREEN = "\u001b[32m✓\u001b[39m";
const RED = "\u001b[31m✗\u001b[39m";

test.each([
  ["a terminal", {}, true, [GREEN, RED]],
  ["a pipe", {}, false, ["✓", "✗"]],
  ["NO_COLOR on a terminal", { NO_COLOR: "1" }, true, ["✓", "✗"]],
  ["an empty NO_COLOR", { NO_COLOR: "" }, true, [GREEN, RED]],
  ["a dumb terminal", { TERM: "dumb" }, true, ["✓", "✗"]],
  ["FORCE_COLOR in a pipe", { FORCE_COLOR: "1" }, false, [GREEN, RED]],
  ["FORCE_COLOR=0 on a terminal", { FORCE_COLOR: "0" }, true, ["✓", "✗"]],
  ["both", { FORCE_COLOR: "1", NO_COLOR: "1" }, false, [GREEN, RED]],
] as const)("%s", (_name, environment, isTerminal, expected) => {
  const marks = marksFor(environment, isTerminal);
  expect([markOf("finished", marks), markOf("failed", marks)]).toEqual(expected);
  expect(markOf("not started", marks)).toBe(markOf("failed", marks));
  expect(["stopped", "running"].map((status) => markOf(status, marks))).toEqual(["■", "·"]);
});
