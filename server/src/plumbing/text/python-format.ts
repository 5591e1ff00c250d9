import { pythonRepr, pythonStr } from "#plumbing/formats/python-text";

/**
 * Formats a template as Python's `str.format` does, for plain JSON values: fields by name and by position, `[key]`,
 * `!r` and `!s`, format specifications of texts and numbers, `{{` and `}}`. Throws `FormatError` where Python raises.
 */
export interface FormatValues {
  readonly positional?: readonly unknown[];
  readonly named?: Readonly<Record<string, unknown>>;
}

/** The kinds are Python's: a missing name, a missing position, a missing attribute, a template that cannot be read. */
type FormatErrorKind = "key" | "index" | "attribute" | "value";

export class FormatError extends Error {
  override readonly name = "FormatError";
  readonly kind: FormatErrorKind;
  /** The placeholder as written: `{name}`. */
  readonly placeholder: string;

  constructor(kind: FormatErrorKind, placeholder: string, message: string) {
    super(message);
    this.kind = kind;
    this.placeholder = placeholder;
  }
}

/** Python allows fields inside a specification, but not deeper. */
const NESTING_MAX = 2;

export function pythonFormat(template: string, values: FormatValues): string {
  return new Formatter(values).format(template, NESTING_MAX);
}

class Formatter {
  readonly #positional: readonly unknown[];
  readonly #named: Readonly<Record<string, unknown>>;
  #nextPosition = 0;
  #numbering: "automatic" | "manual" | undefined;

  constructor({ positional = [], named = {} }: FormatValues) {
    this.#positional = positional;
    this.#named = named;
  }

  format(template: string, depth: number): string {
    if (depth === 0) throw new FormatError("value", template, "Max string recursion exceeded");
    let text = "";
    let at = 0;
    while (at < template.length) {
      const brace = nextBrace(template, at);
      if (brace === -1) return text + template.slice(at);
      text += template.slice(at, brace);
      const char = template[brace]!;
      if (template[brace + 1] === char) {
        text += char;
        at = brace + 2;
        continue;
      }
      if (char === "}") throw new FormatError("value", "}", "Single '}' encountered in format string");
      const end = fieldEnd(template, brace + 1);
      text += this.#field(template.slice(brace + 1, end), depth);
      at = end + 1;
    }
    return text;
  }

  #field(field: string, depth: number): string {
    const placeholder = `{${field}}`;
    const { name, conversion, spec } = partsOf(field, placeholder);
    const value = converted(this.#valueOf(name, placeholder), conversion, placeholder);
    return formatted(value, spec === "" ? "" : this.format(spec, depth - 1), placeholder);
  }

  #valueOf(path: string, placeholder: string): unknown {
    const first = /^[^.[]*/.exec(path)![0];
    let value = this.#first(first, placeholder);
    let rest = path.slice(first.length);
    while (rest !== "") {
      const step = /^(?:\.([^.[]+)|\[([^\]]+)\])/.exec(rest);
      if (!step) throw new FormatError("value", placeholder, "Empty attribute in format string");
      if (step[1] !== undefined)
        throw new FormatError("attribute", placeholder, `there is no attribute "${step[1]}"`);
      value = itemOf(value, step[2]!, placeholder);
      rest = rest.slice(step[0].length);
    }
    return value;
  }

  #first(name: string, placeholder: string): unknown {
    const isPosition = name === "" || /^[0-9]+$/.test(name);
    if (!isPosition) {
      if (Object.hasOwn(this.#named, name)) return this.#named[name];
      throw new FormatError("key", placeholder, `there is no parameter "${name}"`);
    }
    const numbering = name === "" ? "automatic" : "manual";
    if ((this.#numbering ??= numbering) !== numbering)
      throw new FormatError("value", placeholder, "cannot switch between manual and automatic numbering");
    const position = name === "" ? this.#nextPosition++ : Number(name);
    if (position < this.#positional.length) return this.#positional[position];
    throw new FormatError("index", placeholder, `there is no parameter at position ${position}`);
  }
}

function nextBrace(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) if (text[at] === "{" || text[at] === "}") return at;
  return -1;
}

/**
 * Returns the index of the closing brace of the field that starts at `from`. Braces inside square brackets do
 * not count.
 */
function fieldEnd(text: string, from: number): number {
  let depth = 1;
  let isInBracket = false;
  for (let at = from; at < text.length; at += 1) {
    const char = text[at];
    if (char === "[") isInBracket = true;
    else if (char === "]") isInBracket = false;
    else if (!isInBracket && char === "{") depth += 1;
    else if (!isInBracket && char === "}" && (depth -= 1) === 0) return at;
  }
  const shown = text
    .slice(from - 1)
    .split("\n", 1)[0]!
    .slice(0, 60);
  throw new FormatError("value", shown, "expected '}' before end of string");
}

function partsOf(field: string, placeholder: string) {
  const parts = /^((?:[^[!:{}]|\[[^\]]*\]?)*)(?:!([^:]*))?(?::([\s\S]*))?$/.exec(field);
  if (!parts) throw new FormatError("value", placeholder, "unexpected '{' in field name");
  const [, name = "", conversion, spec = ""] = parts;
  return { name, conversion, spec };
}

function converted(value: unknown, conversion: string | undefined, placeholder: string): unknown {
  if (conversion === undefined) return value;
  if (conversion === "r" || conversion === "a") return pythonRepr(value);
  if (conversion === "s") return pythonStr(value);
  throw new FormatError("value", placeholder, `Unknown conversion specifier '${conversion}'`);
}

function itemOf(value: unknown, key: string, placeholder: string): unknown {
  const isNumber = /^[0-9]+$/.test(key);
  if (Array.isArray(value) || typeof value === "string") {
    if (!isNumber) throw new FormatError("value", placeholder, `"${key}" is no position in a list`);
    if (Number(key) < value.length) return (value as readonly unknown[])[Number(key)];
    throw new FormatError("index", placeholder, `there is no position ${key}`);
  }
  if (typeof value === "object" && value !== null) {
    // A number is an integer in Python, and the keys of JSON are texts.
    if (!isNumber && Object.hasOwn(value, key)) return (value as Record<string, unknown>)[key];
    throw new FormatError("key", placeholder, `there is no key "${key}"`);
  }
  throw new FormatError("value", placeholder, `${pythonRepr(value)} has no items`);
}

const SPEC = /^(?:([\s\S])?([<>=^]))?([-+ ])?(#)?(0)?([0-9]+)?([,_])?(?:\.([0-9]+))?([a-zA-Z%])?$/u;
/** Limit on widths and precisions: a template must not make a text of gigabytes. */
const WIDTH_MAX = 10_000;

interface Spec {
  readonly fill: string;
  readonly align: string;
  readonly sign: string;
  readonly width: number;
  readonly group: string;
  readonly precision: number | undefined;
  readonly type: string;
}

function formatted(value: unknown, text: string, placeholder: string): string {
  if (text === "") return pythonStr(value);
  const wrong = (message: string) => new FormatError("value", placeholder, message);
  const match = SPEC.exec(text);
  if (!match) throw wrong("Invalid format specifier");
  const [, fill, align, sign = "", , zero, width = "0", group = "", precision, type = ""] = match;
  const isNumber = typeof value === "number" || typeof value === "boolean";
  const spec: Spec = {
    fill: fill ?? (zero ? "0" : " "),
    align: align ?? (isNumber ? (zero ? "=" : ">") : "<"),
    sign,
    width: Number(width),
    group,
    precision: precision === undefined ? undefined : Number(precision),
    type,
  };
  if (spec.width > WIDTH_MAX || (spec.precision ?? 0) > WIDTH_MAX) throw wrong(`a width above ${WIDTH_MAX}`);
  if (isNumber) return padded(numberText(Number(value), spec, wrong), spec);
  if (typeof value !== "string") throw wrong("unsupported format string passed");
  if (type !== "" && type !== "s") throw wrong(`Unknown format code '${type}' for object of type 'str'`);
  if (sign !== "" || spec.align === "=") throw wrong("a sign is not allowed for a text");
  return padded({ sign: "", digits: [...value].slice(0, spec.precision).join("") }, spec);
}

interface Signed {
  readonly sign: string;
  readonly digits: string;
}

function numberText(value: number, spec: Spec, wrong: (message: string) => FormatError): Signed {
  const sign = value < 0 || Object.is(value, -0) ? "-" : spec.sign === "-" ? "" : spec.sign;
  const digits = grouped(digitsOf(Math.abs(value), spec, wrong), spec.group);
  return { sign, digits };
}

function digitsOf(value: number, { type, precision }: Spec, wrong: (message: string) => FormatError): string {
  const isWhole = Number.isInteger(value);
  const radix = { b: 2, o: 8, x: 16, X: 16 }[type];
  if (radix !== undefined && isWhole && precision === undefined) {
    const text = value.toString(radix);
    return type === "X" ? text.toUpperCase() : text;
  }
  switch (type) {
    case "":
    case "n":
      return precision === undefined ? pythonStr(value) : general(value, precision);
    case "d":
      if (isWhole && precision === undefined) return pythonStr(value);
      break;
    case "f":
    case "F":
      return fixed(value, precision ?? 6);
    case "%":
      return `${fixed(value * 100, precision ?? 6)}%`;
    case "e":
    case "E":
      return cased(exponential(value, precision ?? 6), type);
    case "g":
    case "G":
      return cased(general(value, precision ?? 6), type);
  }
  throw wrong(`Unknown format code '${type}' for this number`);
}

function cased(text: string, type: string): string {
  return type === type.toUpperCase() ? text.toUpperCase() : text;
}

/** Limit of `toFixed`. With so many digits, its text is exact for all but the smallest numbers. */
const DIGITS_MAX = 100;

/** Rounds a tie to the even digit, as Python does; `toFixed` rounds it up. */
function fixed(value: number, precision: number): string {
  const digits = Math.min(precision, DIGITS_MAX);
  const exact = value.toFixed(DIGITS_MAX);
  const end = exact.length - (DIGITS_MAX - digits);
  const head = exact.slice(0, end).replace(/\.$/, "");
  const isTie = /^50*$/.test(exact.slice(end));
  return isTie && /[02468]$/.test(head) ? head : value.toFixed(digits);
}

function exponential(value: number, precision: number): string {
  return value.toExponential(Math.min(precision, 100)).replace(/e([-+])(\d)$/, "e$10$2");
}

/** `%g`: as many significant digits, without the zeros at the end. */
function general(value: number, precision: number): string {
  const digits = Math.min(Math.max(precision, 1), 100);
  const exponent = value === 0 ? 0 : Number(value.toExponential(digits - 1).split("e")[1]);
  const isPlain = exponent >= -4 && exponent < digits;
  const text = isPlain ? fixed(value, digits - 1 - exponent) : exponential(value, digits - 1);
  const [mantissa = "", tail] = text.split("e");
  const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
  return tail === undefined ? short : `${short}e${tail}`;
}

function grouped(digits: string, mark: string): string {
  if (mark === "") return digits;
  const [whole = "", ...rest] = digits.split(/(?=[.e%])/);
  return whole.replaceAll(/\B(?=(\d{3})+$)/g, mark) + rest.join("");
}

function padded({ sign, digits }: Signed, { fill, align, width }: Spec): string {
  const missing = Math.max(0, width - [...sign, ...digits].length);
  const left = align === ">" ? missing : align === "^" ? Math.floor(missing / 2) : 0;
  if (align === "=") return sign + fill.repeat(missing) + digits;
  return fill.repeat(left) + sign + digits + fill.repeat(missing - left);
}
