import { Refusal } from "#plumbing/errors";
import { printable } from "#plumbing/text/printable";
import { isObject } from "#workflow/specification/shape";

/**
 * Reads REANA's `search`, JSON text such as `{"name": ["fit"]}`. Returns the requested texts by field.
 * Refuses unknown fields, because a misspelt field would match all runs.
 */
export function parseSearch<Field extends string>(
  text: string | undefined,
  fields: readonly Field[],
): Partial<Record<Field, readonly string[]>> {
  if (text === undefined || text === "") return {};
  const search = parseOrRefuse(text);
  const unknown = Object.keys(search).find((key) => !fields.some((field) => field === key));
  if (unknown !== undefined) throw unknownField(unknown, fields);
  const found: Partial<Record<Field, readonly string[]>> = {};
  for (const field of fields) {
    const wanted = search[field];
    if (wanted === undefined) continue;
    if (!isListOfTexts(wanted)) throw malformed();
    found[field] = wanted;
  }
  return found;
}

function parseOrRefuse(text: string): Record<string, unknown> {
  let search: unknown;
  try {
    search = JSON.parse(text);
  } catch (error) {
    throw malformed(error);
  }
  if (!isObject(search)) throw malformed();
  return search;
}

function isListOfTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

function unknownField(name: string, fields: readonly string[]): Refusal {
  const message = `Malformed request. search has no field "${printable(name, 60)}"; it has: ${fields.join(", ")}.`;
  return new Refusal("malformed", message);
}

/** Starts with REANA's own sentence and adds the missing details. */
function malformed(cause?: unknown): Refusal {
  const message =
    'Malformed request. The query parameter search must be JSON text such as {"name": ["part of a name"]}.';
  return new Refusal("malformed", message, { cause });
}
