/**
 * JSONPath in the dialect of Python's jsonpath-rw: `init`, `map[0]`, `map[*]`, `sub[*].merge`, `a..b`, `a,b`, `[1:3]`,
 * `a | b`, `$`, quoted names. A list index or slice on anything but a list sees a list of that one thing.
 */
export type JsonPath = (document: unknown) => unknown[];

export class JsonPathError extends Error {
  override readonly name = "JsonPathError";
}

type Step = (values: readonly Match[]) => Match[];

/** A value with its ancestors, the nearest first. */
interface Match {
  readonly value: unknown;
  readonly parent: Match | null;
}

const TOKEN =
  /\s*(?:(\.\.|[.|,*[\]():$@])|`([^`]*)`|'([^']*)'|"([^"]*)"|(-?\d+)|([A-Za-z_@][A-Za-z0-9_@-]*))/y;

interface Token {
  readonly mark?: string | undefined;
  readonly named?: string | undefined;
  readonly number?: number | undefined;
  readonly name?: string | undefined;
}

/** Limits the work for one path. */
const LENGTH_MAX = 1000;
const MATCHES_MAX = 1_000_000;

export function parseJsonPath(text: string): JsonPath {
  if (text.length > LENGTH_MAX) throw new JsonPathError(`it is longer than ${LENGTH_MAX} characters`);
  const parser = new Parser(tokensOf(text));
  const step = parser.union();
  parser.end();
  return (document) => step([{ value: document, parent: null }]).map(({ value }) => value);
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const trimmed = text.trimEnd();
  TOKEN.lastIndex = 0;
  let at = 0;
  while (at < trimmed.length) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(trimmed);
    if (!match) throw new JsonPathError(`it cannot be read at character ${at + 1}`);
    const [, mark, named, single, double, number, name] = match;
    tokens.push({
      mark,
      named,
      number: number === undefined ? undefined : Number(number),
      name: single ?? double ?? name,
    });
    at = TOKEN.lastIndex;
  }
  return tokens;
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  union(): Step {
    const paths = [this.#path()];
    while (this.#take("|")) paths.push(this.#path());
    return paths.length === 1 ? paths[0]! : (values) => paths.flatMap((path) => path(values));
  }

  end(): void {
    if (this.#at < this.#tokens.length) throw new JsonPathError("it has something behind its end");
  }

  #path(): Step {
    let step = this.#element();
    for (;;) {
      if (this.#take("..")) step = chained(chained(step, descendants), this.#element());
      else if (this.#take(".")) step = chained(step, this.#element());
      else if (this.#peek("[")) step = chained(step, this.#element());
      else return step;
    }
  }

  #element(): Step {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw new JsonPathError("it ends too early");
    this.#at += 1;
    if (token.mark === "$") return (values) => values.map(rootOf);
    if (token.mark === "@") return (values) => [...values];
    if (token.mark === "*") return allFields;
    if (token.mark === "[") return this.#bracket();
    if (token.mark === "(") {
      const inner = this.union();
      this.#expect(")");
      return inner;
    }
    if (token.named !== undefined) return operator(token.named);
    if (token.name !== undefined) return this.#fields(token.name);
    throw new JsonPathError(`"${token.mark ?? token.number}" is not expected`);
  }

  #fields(first: string): Step {
    const names = [first];
    while (this.#take(",")) {
      const next = this.#tokens[this.#at]?.name;
      if (next === undefined) throw new JsonPathError("a name is missing behind a comma");
      this.#at += 1;
      names.push(next);
    }
    return (values) => values.flatMap((match) => names.flatMap((name) => field(match, name)));
  }

  #bracket(): Step {
    const token = this.#tokens[this.#at];
    if (token?.name !== undefined) {
      this.#at += 1;
      const step = this.#fields(token.name);
      this.#expect("]");
      return step;
    }
    if (this.#take("*")) {
      this.#expect("]");
      return slice(undefined, undefined);
    }
    const start = this.#number();
    if (this.#take(":")) {
      const end = this.#number();
      this.#expect("]");
      return slice(start, end);
    }
    if (start === undefined) throw new JsonPathError("a number is missing in brackets");
    this.#expect("]");
    return index(start);
  }

  #number(): number | undefined {
    const { number } = this.#tokens[this.#at] ?? {};
    if (number !== undefined) this.#at += 1;
    return number;
  }

  #peek(mark: string): boolean {
    return this.#tokens[this.#at]?.mark === mark;
  }

  #take(mark: string): boolean {
    const isThere = this.#peek(mark);
    if (isThere) this.#at += 1;
    return isThere;
  }

  #expect(mark: string): void {
    if (!this.#take(mark)) throw new JsonPathError(`"${mark}" is missing`);
  }
}

function chained(first: Step, second: Step): Step {
  return (values) => {
    const matches = second(first(values));
    if (matches.length > MATCHES_MAX) throw new JsonPathError(`it has more than ${MATCHES_MAX} matches`);
    return matches;
  };
}

function rootOf(match: Match): Match {
  let root = match;
  while (root.parent) root = root.parent;
  return root;
}

function operator(name: string): Step {
  if (name === "this") return (values) => [...values];
  if (name === "parent") return (values) => values.flatMap(({ parent }) => (parent ? [parent] : []));
  throw new JsonPathError(`there is no operator \`${name}\``);
}

function field(match: Match, name: string): Match[] {
  const { value } = match;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  if (!Object.hasOwn(value, name)) return [];
  return [{ value: (value as Record<string, unknown>)[name], parent: match }];
}

const allFields: Step = (values) =>
  values.flatMap((match) => {
    const { value } = match;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
    return Object.values(value).map((child: unknown) => ({ value: child, parent: match }));
  });

function index(position: number): Step {
  return (values) =>
    values.flatMap((match) => {
      if (!Array.isArray(match.value)) return [];
      const list = match.value as readonly unknown[];
      const at = position < 0 ? list.length + position : position;
      return at >= 0 && at < list.length ? [{ value: list[at], parent: match }] : [];
    });
}

function slice(start: number | undefined, end: number | undefined): Step {
  return (values) =>
    values.flatMap((match) => {
      const list = (Array.isArray(match.value) ? match.value : [match.value]) as readonly unknown[];
      return list.slice(start, end).map((value) => ({ value, parent: match }));
    });
}

/** Every value with all its descendants. */
const descendants: Step = (values) => values.flatMap((match) => [match, ...descendants(childrenOf(match))]);

function childrenOf(match: Match): Match[] {
  const { value } = match;
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).map((child: unknown) => ({ value: child, parent: match }));
}
