import type { Evaluate, Evaluation } from "#engines/engine";
import { follow, maybeReference } from "#engines/cwl/expressions/parameter-reference";
import { type Part, scan } from "#engines/cwl/expressions/scan";
import type { CwlVersion } from "#engines/cwl/model/model";
import { jsonText } from "#engines/cwl/model/json";

/** Thrown if a step of a run fails. The message is a sentence that names the problem. */
export class CwlFailure extends Error {}

/** Variables visible to an expression. */
export interface Variables {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly self?: unknown;
  readonly runtime?: Readonly<Record<string, unknown>>;
}

export interface EvaluatorOptions {
  readonly evaluate: Evaluate;
  readonly version: CwlVersion;
  /** The step or process that holds the expressions, for error messages. */
  readonly what: string;
  /** The library of `InlineJavascriptRequirement`; undefined if the process does not allow JavaScript. */
  readonly javascript: { readonly library?: string } | undefined;
}

export interface Interpolation {
  /** The field that holds the expression, for an error message. */
  readonly field: string;
  /** True if white space around the text is kept. */
  readonly keepsSpace?: boolean;
}

const SHOWN_MAX = 200;
/** Expressions written for cwltool log to a console. This console discards all output. */
const CONSOLE = `var console = {}; ["debug", "error", "info", "log", "warn"].forEach(function (name) {
  console[name] = function () {};
});
`;

/** Evaluates the expressions of a single process. */
export class Evaluator {
  readonly what: string;
  readonly #options: EvaluatorOptions;

  constructor(options: EvaluatorOptions) {
    this.what = options.what;
    this.#options = options;
  }

  /** Returns what a field says: the value of an expression, or a text with expressions filled in. */
  value(written: unknown, variables: Variables, { field, keepsSpace = false }: Interpolation): unknown {
    if (typeof written !== "string" || !(written.includes("$(") || written.includes("${"))) return written;
    const text = keepsSpace ? written : written.trim();
    const parts = scan(text, { escapes: this.#options.version === "v1.2" ? "v1.2" : "v1.0" });
    const [first] = parts;
    if (parts.length === 1 && first?.kind === "expression") return this.#part(first, variables, field);
    return parts
      .map((part) => (part.kind === "text" ? part.text : asText(this.#part(part, variables, field))))
      .join("");
  }

  #part(part: Extract<Part, { kind: "expression" }>, variables: Variables, field: string): unknown {
    const { javascript } = this.#options;
    const reference = part.isBody ? undefined : maybeReference(part.source);
    const all: Record<string, unknown> = { self: null, runtime: {}, ...variables };
    if (reference && (!javascript || Object.hasOwn(all, reference[0]) || reference[0] === "null")) {
      const found = follow(reference, all);
      if (found.ok) return found.value;
      // JavaScript can read more than a reference can, for example the length of a text. A value also missing in
      // JavaScript is an error.
      const result = javascript && this.#evaluated(part, all, javascript.library);
      if (result?.ok && result.value !== null) return result.value;
      throw this.#failure(field, part, `cannot be evaluated: ${found.reason}`);
    }
    if (!javascript)
      throw this.#failure(field, part, "is JavaScript, and InlineJavascriptRequirement is not given");
    const result = this.#evaluated(part, all, javascript.library);
    if (result.ok) return result.value;
    throw this.#failure(field, part, `failed: ${result.reason}`);
  }

  /** Returns a failure that names the step, the field, the expression and the reason. */
  #failure(field: string, part: Extract<Part, { kind: "expression" }>, reason: string): CwlFailure {
    return new CwlFailure(`${this.what}, ${field}: the expression ${shownSource(part)} ${reason}.`);
  }

  #evaluated(
    { source: written, isBody }: Extract<Part, { kind: "expression" }>,
    input: Record<string, unknown>,
    library: string | undefined,
  ): Evaluation {
    const source = isBody ? `(function(){${written}\n})()` : written;
    const uses = /\bconsole\b/.test(`${written}\n${library ?? ""}`);
    const all = uses ? CONSOLE + (library ?? "") : library;
    return this.#options.evaluate({ source, input, ...(all !== undefined && { library: all }) });
  }
}

function shownSource({ source, isBody }: Extract<Part, { kind: "expression" }>): string {
  const text = isBody ? `\${${source}}` : `$(${source})`;
  const line = text.replaceAll(/\s+/g, " ");
  return `\`${line.length <= SHOWN_MAX ? line : `${line.slice(0, SHOWN_MAX)}…`}\``;
}

/** Writes a value inside a text: a text as it is, a number in decimals, anything else as JSON. */
function asText(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" ? decimal(value) : jsonText(value);
}

/** Writes a number without an exponent: programs do not all read `1e21`. */
export function decimal(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!match) return text;
  const [, sign = "", first = "", rest = "", power = "0"] = match;
  const digits = first + rest;
  const point = 1 + Number(power);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return point >= digits.length
    ? `${sign}${digits}${"0".repeat(point - digits.length)}`
    : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}
