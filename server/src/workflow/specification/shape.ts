import { printable } from "#plumbing/text/printable";
import { shownValue } from "#workflow/specification/shown-value";
import type { SpecificationWarning } from "#workflow/specification/specification";

/**
 * The part of JSON Schema that REANA's schema of `reana.yaml` uses, with the messages of its validator. A mismatch is a
 * warning, and a client gets all of them, whereas REANA stops at the first.
 */
export interface Shape {
  readonly type: "object" | "array" | "string" | "boolean" | "integer" | "number";
  /** Known keys of an object. If set, any other key gets its own warning. */
  readonly keys?: Readonly<Record<string, Shape>>;
  /**
   * Returns whether another check reports the unknown key. A warning here would contradict the other check.
   */
  readonly isReported?: (key: string, value: unknown) => boolean;
  /** The shape of an object's other values. If set, no key is unknown. */
  readonly values?: Shape;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly items?: Shape;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly pattern?: RegExp;
  readonly minimum?: number;
  /** Returns whether another check covers a value of another type. */
  readonly alsoFits?: (value: unknown) => boolean;
  /** True if null is as good as no value. */
  readonly mayBeNull?: true;
}

export type Faults = Generator<SpecificationWarning, void, undefined>;

/** Finds faults lazily, so that a caller who wants the first hundred does not pay for a million. */
export function* findShapeFaults(value: unknown, shape: Shape, path: string): Faults {
  // Most documents have no fault, and this is a tenth of the work.
  if (!fits(value, shape)) yield* faultsIn(value, shape, path);
}

/** Returns whether a value has no faults in the sense of `faultsIn`. */
function fits(value: unknown, shape: Shape): boolean {
  if (value === null && shape.mayBeNull) return true;
  if (shape.alsoFits?.(value) === true) return true;
  if (!isOfType(value, shape.type)) return false;
  if (shape.type === "object") return fitsObject(value as Record<string, unknown>, shape);
  if (shape.type === "array") return fitsArray(value as unknown[], shape);
  if (shape.pattern && !shape.pattern.test(value as string)) return false;
  return shape.minimum === undefined || (value as number) >= shape.minimum;
}

function fitsObject(value: Record<string, unknown>, shape: Shape): boolean {
  const keys = Object.keys(value);
  if (keys.length < (shape.minProperties ?? 0)) return false;
  if (shape.required?.some((key) => !Object.hasOwn(value, key))) return false;
  return keys.every((key) => {
    const known = shapeOf(key, shape);
    return known ? fits(value[key], known) : !shape.keys;
  });
}

function fitsArray(
  value: readonly unknown[],
  { minItems = 0, maxItems = Infinity, uniqueItems, items }: Shape,
) {
  if (value.length < minItems || value.length > maxItems) return false;
  if (uniqueItems && new Set(value).size < value.length) return false;
  return !items || value.every((child) => fits(child, items));
}

/** Returns the shape of the value of a key. Undefined if any value fits, or the key is unknown. */
function shapeOf(key: string, { keys, values }: Shape): Shape | undefined {
  return keys && Object.hasOwn(keys, key) ? keys[key] : values;
}

function* faultsIn(value: unknown, shape: Shape, path: string): Faults {
  if (value === null && shape.mayBeNull) return;
  if (shape.alsoFits?.(value) === true) return;
  if (!isOfType(value, shape.type)) {
    yield schemaFault(path, `${shownValue(value)} is not of type '${shape.type}'`);
  } else if (shape.type === "object") {
    yield* findObjectFaults(value as Record<string, unknown>, shape, path);
  } else if (shape.type === "array") {
    yield* findArrayFaults(value as unknown[], shape, path);
  } else if (shape.pattern && !shape.pattern.test(value as string)) {
    yield schemaFault(path, `${shownValue(value)} does not match ${shownValue(shape.pattern.source)}`);
  } else if (shape.minimum !== undefined && (value as number) < shape.minimum) {
    yield schemaFault(path, `${shownValue(value)} is less than the minimum of ${shape.minimum}`);
  }
}

function* findObjectFaults(value: Record<string, unknown>, shape: Shape, path: string): Faults {
  for (const key of shape.required ?? []) {
    if (!Object.hasOwn(value, key)) yield schemaFault(path, `'${key}' is a required property`);
  }
  if (Object.keys(value).length < (shape.minProperties ?? 0)) {
    yield schemaFault(path, `${shownValue(value)} does not have enough properties`);
  }
  for (const [key, child] of Object.entries(value)) {
    const known = shapeOf(key, shape);
    if (known) yield* faultsIn(child, known, joinPath(path, key));
    else if (shape.keys && shape.isReported?.(key, child) !== true) {
      const message = `Unexpected property ${shownValue(key)}: it has no meaning here and is ignored.`;
      yield { code: "additional_properties", path, message };
    }
  }
}

function* findArrayFaults(value: readonly unknown[], shape: Shape, path: string): Faults {
  if (value.length < (shape.minItems ?? 0)) yield schemaFault(path, `${shownValue(value)} is too short`);
  if (value.length > (shape.maxItems ?? Infinity))
    yield schemaFault(path, `${shownValue(value)} is too long`);
  if (shape.uniqueItems && new Set(value).size < value.length) {
    yield schemaFault(path, `${shownValue(value)} has non-unique elements`);
  }
  if (!shape.items) return;
  for (const [index, child] of value.entries()) {
    yield* faultsIn(child, shape.items, joinPath(path, index));
  }
}

/**
 * Returns a path such as `workflow.specification.steps.0`. A key may be any text, so long keys are cut and
 * kept on one line.
 */
export function joinPath(path: string, key: string | number): string {
  const shown = printable(String(key), 80);
  return path === "" ? shown : `${path}.${shown}`;
}

function schemaFault(path: string, message: string): SpecificationWarning {
  return { code: "schema", path, message };
}

function isOfType(value: unknown, type: Shape["type"]): boolean {
  if (type === "object") return isObject(value);
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
