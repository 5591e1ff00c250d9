import { jsonExcerpt } from "#engines/cwl/documents/reader";
import { isMapping } from "#engines/cwl/model/json";

/** A reference without JavaScript: `inputs.reads[0].size` as `["inputs", "reads", 0, "size"]`. */
export type ParameterReference = readonly [root: string, ...steps: (string | number)[]];

const WORD = String.raw`[\p{L}\p{N}_]+`;
const STEP = String.raw`\.${WORD}|\['(?:[^'\\]|\\.)*'\]|\["(?:[^"\\]|\\.)*"\]|\[\d+\]`;
const WHOLE = new RegExp(`^(${WORD})((?:${STEP})*)$`, "u");
const EACH = new RegExp(STEP, "gu");

export function maybeReference(source: string): ParameterReference | undefined {
  const match = WHOLE.exec(source.trim());
  if (!match) return undefined;
  const steps = [...(match[2] ?? "").matchAll(EACH)].map(([step]) => stepOf(step));
  return [match[1]!, ...steps];
}

function stepOf(step: string): string | number {
  if (step.startsWith(".")) return step.slice(1);
  const inside = step.slice(1, -1);
  if (/^\d/.test(inside)) return Number(inside);
  return inside.slice(1, -1).replaceAll(/\\(.)/gs, "$1");
}

export type Referenced =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string };

/** Follows a reference. Only lists have a `length`. A missing key or position is an error. */
export function follow(
  [root, ...steps]: ParameterReference,
  variables: Readonly<Record<string, unknown>>,
): Referenced {
  if (root === "null" && steps.length === 0) return { ok: true, value: null };
  if (!Object.hasOwn(variables, root)) return { ok: false, reason: `\`${root}\` is not known` };
  let value = variables[root];
  let text = root;
  for (const [index, step] of steps.entries()) {
    const isLast = index === steps.length - 1;
    if (Array.isArray(value) && step === "length" && isLast) return { ok: true, value: value.length };
    const next = stepInto(value, step);
    if (next === undefined) return { ok: false, reason: absent(text, value, step) };
    value = next;
    text += typeof step === "number" ? `[${step}]` : `.${step}`;
  }
  return { ok: true, value };
}

function stepInto(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) return typeof step === "number" ? (value as unknown[])[step] : undefined;
  if (!isMapping(value) || !Object.hasOwn(value, String(step))) return undefined;
  return value[String(step)] ?? null;
}

function absent(text: string, value: unknown, step: string | number): string {
  if (value === null) return `\`${text}\` is null, and has no \`${step}\``;
  if (Array.isArray(value)) return `\`${text}\` is a list of ${value.length}, and has no \`${step}\``;
  if (!isMapping(value)) return `\`${text}\` is ${jsonExcerpt(value)}, and has no \`${step}\``;
  const known = Object.keys(value).slice(0, 20).join(", ");
  return `\`${text}\` has no \`${step}\` (${known === "" ? "it is empty" : `it has: ${known}`})`;
}
