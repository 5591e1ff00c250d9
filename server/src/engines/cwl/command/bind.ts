import { CwlFailure, decimal, type Evaluator, type Variables } from "#engines/cwl/expressions/evaluator";
import { isExpression } from "#engines/cwl/documents/reader";
import type { Binding } from "#engines/cwl/model/bindings";
import type { Argument, InputParameter, Tool } from "#engines/cwl/model/model";
import { type CwlType, isPrimitive, type RecordField } from "#engines/cwl/model/types";
import { branchFor } from "#engines/cwl/values/conform";
import { isFileValue } from "#engines/cwl/values/files";
import { isMapping, jsonText, type Mapping } from "#engines/cwl/model/json";
import { shellQuote } from "#plumbing/text/shell-quote";

/** A word of the command line. Unquoted words are interpreted by the shell. */
export interface Word {
  readonly text: string;
  readonly isQuoted: boolean;
}

type Key = readonly (number | string)[];

/** A part of the command line, before sorting. */
interface Bound {
  readonly key: Key;
  readonly binding: Binding;
  readonly value: unknown;
}

interface BindContext {
  readonly evaluator: Evaluator;
  /** The variables of expressions, with `inputs` as seen by the job. */
  readonly variables: Variables;
}

/** Makes the words of a tool's command line: all parts in the order of their keys. */
export function commandWords(tool: Tool, context: BindContext): readonly Word[] {
  const bound = [
    ...tool.arguments.map((argument, index) => boundArgument(argument, index, context)),
    ...tool.inputs.flatMap((input) => boundInput(input, context)),
  ];
  const parts = bound.toSorted((one, other) => compareKeys(one.key, other.key));
  return [
    ...tool.baseCommand.map((text) => ({ text, isQuoted: true })),
    ...parts.flatMap((part) => wordsOf(part, context)),
  ];
}

function boundArgument(argument: Argument, index: number, context: BindContext): Bound {
  if (typeof argument !== "string")
    return { key: [position(argument, null, context), index], binding: argument, value: null };
  return isExpression(argument)
    ? { key: [0, index], binding: { valueFrom: argument }, value: null }
    : { key: [0, index], binding: {}, value: argument };
}

function boundInput(input: InputParameter, context: BindContext): Bound[] {
  const value = context.variables.inputs[input.name];
  if (value === null || value === undefined) return [];
  return bind(input.type, input.binding, value, [], [input.name], context);
}

/**
 * Binds a value and all nested values. Parts of a list or a record sort inside the part of the whole, by position, and
 * then by index or name.
 */
function bind(
  type: CwlType,
  binding: Binding | undefined,
  value: unknown,
  lead: Key,
  tail: Key,
  context: BindContext,
): Bound[] {
  const branch = branchFor(value, type);
  const own: Key = binding ? [...lead, position(binding, value, context), ...tail] : [];
  const whole: Bound[] = binding ? [{ key: own, binding, value }] : [];
  if (branch === undefined || binding?.valueFrom !== undefined) return whole;
  if (branch === "Any" && Array.isArray(value)) return bind(LIST_OF_ANY, binding, value, lead, tail, context);
  const inside = isPrimitive(branch) ? [] : boundInside(branch, binding, value, lead, tail, context);
  return [...whole, ...inside.map((part) => ({ ...part, key: [...own, ...part.key] }))];
}

const LIST_OF_ANY: CwlType = { kind: "array", items: "Any" };

function boundInside(
  branch: Exclude<CwlType, string>,
  binding: Binding | undefined,
  value: unknown,
  lead: Key,
  tail: Key,
  context: BindContext,
): Bound[] {
  // The binding of a type, if any, is applied inside the binding of the parameter.
  const typed = "binding" in branch ? branch.binding : undefined;
  const whole = (own: Binding): Bound => ({
    key: [...lead, position(own, value, context), ...tail],
    binding: own,
    value,
  });
  switch (branch.kind) {
    case "array": {
      if (!Array.isArray(value)) return [];
      const forItems = typed ?? (binding && binding.itemSeparator === undefined ? {} : undefined);
      return value.flatMap((item: unknown, index) =>
        bind(branch.items, forItems, item, [...(forItems ? [] : lead), index], tail, context),
      );
    }
    case "record":
      if (!isMapping(value)) return [];
      return boundRecord(branch.fields, typed && whole(typed), value, lead, context);
    case "enum":
      return typed ? [whole(typed)] : [];
    case "union":
      return [];
  }
}

function boundRecord(
  fields: readonly RecordField[],
  whole: Bound | undefined,
  value: Mapping,
  lead: Key,
  context: BindContext,
): Bound[] {
  const inside = fields.flatMap((field) => {
    const item = value[field.name] ?? null;
    return item === null ? [] : bind(field.type, field.binding, item, lead, [field.name], context);
  });
  return whole ? [whole, ...inside.map((part) => ({ ...part, key: [...whole.key, ...part.key] }))] : inside;
}

function position(binding: Binding, value: unknown, { evaluator, variables }: BindContext): number {
  const { position: given = 0 } = binding;
  if (typeof given === "number") return given;
  const result = evaluator.value(given, { ...variables, self: value }, { field: "`position`" });
  if (result === null || result === "") return 0;
  const number = Number(result);
  if (Number.isFinite(number)) return number;
  throw new CwlFailure(
    `${evaluator.what}: the position \`${given}\` is ${JSON.stringify(result)}, not a number.`,
  );
}

/** Compares level by level. Numbers come before names. */
function compareKeys(one: Key, other: Key): number {
  for (let index = 0; index < Math.min(one.length, other.length); index += 1) {
    const [a, b] = [one[index]!, other[index]!];
    if (a === b) continue;
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return a < b ? -1 : 1;
  }
  return one.length - other.length;
}

function wordsOf({ binding, value: bound }: Bound, { evaluator, variables }: BindContext): Word[] {
  const { prefix, separate = true, itemSeparator, valueFrom, shellQuote: isQuoted = true } = binding;
  const field = "`valueFrom` on its command line";
  const value =
    valueFrom === undefined ? bound : evaluator.value(valueFrom, { ...variables, self: bound }, { field });
  const word = (text: string): Word => ({ text, isQuoted });
  const start = prefix === undefined ? [] : [word(prefix)];
  if (value === null || value === undefined || value === false) return [];
  if (value === true) return start;
  if (Array.isArray(value)) {
    if (value.length === 0) return [];
    if (itemSeparator === undefined) {
      if (valueFrom === undefined) return start;
      const items = value.filter((item) => item !== null) as readonly unknown[];
      return [...start, ...items.map((item) => word(textOf(item)))];
    }
  } else if (isMapping(value) && !isFileValue(value)) return start;
  const text = Array.isArray(value) ? value.map(textOf).join(itemSeparator) : textOf(value);
  if (separate) return [...start, word(text)];
  return [word((prefix ?? "") + text)];
}

/** Writes a value as a word: a file as its path, a number in decimals. */
function textOf(value: unknown): string {
  if (isFileValue(value)) {
    if (typeof value["path"] === "string") return value["path"];
    throw new CwlFailure(`The ${value.class} ${value.basename ?? ""} has no path on the command line.`);
  }
  if (typeof value === "number") return decimal(value);
  if (typeof value === "string") return value;
  return jsonText(value);
}

/** Returns the line for a shell. Words marked as unquoted stay unquoted. */
export function shellLine(words: readonly Word[]): string {
  return words.map(({ text, isQuoted }) => (isQuoted ? quoted(text) : text)).join(" ");
}

function quoted(text: string): string {
  return text === "" ? "''" : shellQuote(text);
}
