import { numberDifference } from "#plumbing/equivalence/number-texts";
import { MAX_JSON_DEPTH, maybeJson } from "#plumbing/formats/json";

/** A JSON value with numbers in their spelling, because a double cannot hold every number of a text. */
export type JsonTree = JsonScalar | readonly JsonTree[] | ReadonlyMap<string, JsonTree>;

interface JsonScalar {
  readonly kind: "number" | "other";
  readonly text: string;
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[-+.\deE]+|true|false|null|[[\]{}:,]/g;

/** Returns undefined if the text is not JSON, is nested too deeply, or has an object with the same key twice. */
export function maybeJsonTree(text: string): JsonTree | undefined {
  if (maybeJson(text) === undefined) return undefined;
  return new TreeReader(text.match(TOKEN) ?? []).maybeTree();
}

/** Reads tokens of a text that is known to be JSON. */
class TreeReader {
  readonly #tokens: readonly string[];
  #at = 0;
  #isRefused = false;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  maybeTree(): JsonTree | undefined {
    const tree = this.#value(0);
    return this.#isRefused ? undefined : tree;
  }

  #value(depth: number): JsonTree {
    const token = this.#tokens[this.#at++]!;
    if (depth > MAX_JSON_DEPTH) this.#isRefused = true;
    if (this.#isRefused) return { kind: "other", text: "" };
    if (token === "[") return this.#list(depth);
    if (token === "{") return this.#object(depth);
    // Two spellings of a text, such as é and \u00e9, are the same value.
    if (token.startsWith('"')) return { kind: "other", text: JSON.stringify(JSON.parse(token)) };
    return { kind: /^[-\d]/.test(token) ? "number" : "other", text: token };
  }

  #list(depth: number): JsonTree {
    const items: JsonTree[] = [];
    while (!this.#closes("]")) {
      items.push(this.#value(depth + 1));
      if (this.#isRefused) break;
    }
    return items;
  }

  #object(depth: number): JsonTree {
    const fields = new Map<string, JsonTree>();
    while (!this.#closes("}")) {
      const key = JSON.parse(this.#tokens[this.#at++]!) as string;
      this.#at += 1;
      if (fields.has(key)) this.#isRefused = true;
      fields.set(key, this.#value(depth + 1));
      if (this.#isRefused) break;
    }
    return fields;
  }

  /** Skips a comma, and the bracket that closes a list or an object. Returns true for the bracket. */
  #closes(bracket: string): boolean {
    if (this.#tokens[this.#at] === ",") this.#at += 1;
    if (this.#tokens[this.#at] !== bracket) return false;
    this.#at += 1;
    return true;
  }
}

/** Returns the largest relative difference of numbers. Undefined if anything else differs, or a number by too much. */
export function treeDifference(a: JsonTree, b: JsonTree, tolerance: number): number | undefined {
  if (Array.isArray(a) || Array.isArray(b)) return listDifference(a, b, tolerance);
  if (a instanceof Map || b instanceof Map) return mapDifference(a, b, tolerance);
  const [one, other] = [a as JsonScalar, b as JsonScalar];
  if (one.kind === "number" && other.kind === "number")
    return numberDifference(one.text, other.text, tolerance);
  return one.kind === other.kind && one.text === other.text ? 0 : undefined;
}

function listDifference(a: JsonTree, b: JsonTree, tolerance: number): number | undefined {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return undefined;
  const [one, other] = [a as readonly JsonTree[], b as readonly JsonTree[]];
  return largest(one.map((item, index) => () => treeDifference(item, other[index]!, tolerance)));
}

function mapDifference(a: JsonTree, b: JsonTree, tolerance: number): number | undefined {
  if (!(a instanceof Map) || !(b instanceof Map) || a.size !== b.size) return undefined;
  const [one, other] = [a as ReadonlyMap<string, JsonTree>, b as ReadonlyMap<string, JsonTree>];
  return largest(
    [...one].map(([key, value]) => () => {
      const same = other.get(key);
      return same && treeDifference(value, same, tolerance);
    }),
  );
}

function largest(differences: readonly (() => number | undefined)[]): number | undefined {
  let most = 0;
  for (const differenceOf of differences) {
    const difference = differenceOf();
    if (difference === undefined) return undefined;
    most = Math.max(most, difference);
  }
  return most;
}

/** Compares two JSON texts by their values: the order of keys, spaces and spellings do not count. */
export function jsonDifference(a: string, b: string, tolerance: number): number | undefined {
  const [one, other] = [maybeJsonTree(a), maybeJsonTree(b)];
  return one === undefined || other === undefined ? undefined : treeDifference(one, other, tolerance);
}
