import { maybeJson } from "#plumbing/formats/json";
import type { Specification } from "#workflow/specification/specification";

/**
 * The parameters of a run for lists, comparisons and filters: a text with a line `"name"=value` for each, in
 * JSON. JSON has no line breaks, so either database can find a line in the text as it is.
 */

/** A longer value, such as a list of files, is not listed. */
const VALUE_LENGTH_MAX = 200;
const LISTED_MAX = 50;

/** Returns the text for the parameters of a specification, overridden by the given values. */
export function listedParameters(
  { inputs }: Pick<Specification, "inputs">,
  given: Readonly<Record<string, unknown>> = {},
): string {
  const lines = Object.entries({ ...inputs?.parameters, ...given })
    .map(([name, value]) => lineOf(name, value))
    .filter((line) => line.length <= VALUE_LENGTH_MAX);
  return lines.length === 0 ? "" : `\n${lines.slice(0, LISTED_MAX).join("\n")}\n`;
}

/** Parses the listed parameters of the text. */
export function parametersIn(text: string): Record<string, unknown> {
  const lines = text.split("\n").filter((line) => line !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const name = NAME.exec(line)![0];
      return [JSON.parse(name) as string, JSON.parse(line.slice(name.length + 1)) as unknown];
    }),
  );
}

/** A text in JSON at the beginning of a line. */
const NAME = /^"(?:[^"\\]|\\.)*"/;

/**
 * Returns possible lines for the parameter with this value. A matching run has one of the lines: `2` is a
 * number or a text.
 */
export function linesWith(name: string, typed: string): readonly string[] {
  const value = maybeJson(typed);
  const lines = [lineOf(name, typed), ...(value === undefined ? [] : [lineOf(name, value)])];
  return [...new Set(lines)].map((line) => `\n${line}\n`);
}

function lineOf(name: string, value: unknown): string {
  return `${JSON.stringify(name)}=${JSON.stringify(value)}`;
}
