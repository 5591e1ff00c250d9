import { branchesOf, type CwlType, isPrimitive, typeText } from "#engines/cwl/model/types";
import { basenameOf, type FileValue, isFileValue } from "#engines/cwl/values/files";
import { isMapping } from "#engines/cwl/model/json";

/** Returns why a value does not match a type, as a clause. Undefined if it matches. */
export function mismatch(value: unknown, type: CwlType): string | undefined {
  if (isPrimitive(type))
    return isOf(value, type) ? undefined : `is ${describe(value)}, not ${typeText(type)}`;
  switch (type.kind) {
    case "union":
      return type.of.some((one) => mismatch(value, one) === undefined)
        ? undefined
        : `is ${describe(value)}, not ${typeText(type)}`;
    case "enum":
      if (typeof value === "string" && type.symbols.includes(value)) return undefined;
      return `is ${describe(value)}, not one of ${type.symbols.join(", ")}`;
    case "array": {
      if (!Array.isArray(value)) return `is ${describe(value)}, not ${typeText(type)}`;
      for (const [index, item] of value.entries()) {
        const reason = mismatch(item, type.items);
        if (reason !== undefined) return `has an item ${index} that ${reason}`;
      }
      return undefined;
    }
    case "record": {
      if (!isMapping(value) || isFileValue(value)) return `is ${describe(value)}, not a record`;
      for (const { name, type: field } of type.fields) {
        const reason = mismatch(value[name] ?? null, field);
        if (reason !== undefined) return `has a field \`${name}\` that ${reason}`;
      }
      return undefined;
    }
  }
}

/**
 * Returns why a passed-on value does not match a type. Null matches Any here, as in other CWL runners: in outputs of an
 * ExpressionTool, and in outputs a workflow passes on.
 */
export function passedMismatch(value: unknown, type: CwlType): string | undefined {
  return value === null && branchesOf(type).includes("Any") ? undefined : mismatch(value, type);
}

/** Returns the branch of a type that matches a value. */
export function branchFor(value: unknown, type: CwlType): CwlType | undefined {
  return branchesOf(type).find((one) => mismatch(value, one) === undefined);
}

function isOf(value: unknown, type: string): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "boolean":
      return typeof value === "boolean";
    case "int":
      return Number.isInteger(value) && Math.abs(value as number) <= 2 ** 31;
    case "long":
      return Number.isInteger(value) && Math.abs(value as number) <= 2 ** 63;
    case "float":
    case "double":
      return typeof value === "number";
    case "string":
      return typeof value === "string";
    case "File":
    case "Directory":
      return isMapping(value) && value["class"] === type;
    default:
      return value !== null && value !== undefined;
  }
}

const SHOWN_MAX = 80;

function describe(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (isMapping(value) && (value["class"] === "File" || value["class"] === "Directory"))
    return `a ${value["class"]} (${basenameOf(value as unknown as FileValue) || "a literal"})`;
  const text = JSON.stringify(value);
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`;
}
