import { Refusal } from "#plumbing/errors";
import { componentsOf } from "#plumbing/files/relative-path";

/**
 * The patterns of REANA's clients: `*`, `?`, `[a-z]` and `[!a]` within a component, `**` for any number of folders.
 * They match names that start with a dot, unless `leavesHidden` asks for the rule of POSIX; braces and negation are not
 * supported. The matcher is written by hand, with a time that grows with pattern times path: a regular expression made
 * from an untrusted pattern can run forever.
 */
export interface Glob {
  /**
   * The literal leading folders of the pattern, which contain all matches. Undefined if matches can be
   * anywhere.
   */
  readonly start: string | undefined;
  matches(path: string): boolean;
  /** Returns whether the path itself or a parent folder matches. */
  covers(path: string): boolean;
  /** Returns whether a path in this folder can match. */
  leadsInto(folder: string): boolean;
}

const PATTERN_MAX = 1000;
const PARTS_MAX = 50;

export function hasMagic(pattern: string): boolean {
  return /[*?[]/.test(pattern);
}

/** Returns whether `parseGlob` accepts the pattern's length and number of components. */
export function fitsPattern(pattern: string): boolean {
  return pattern.length <= PATTERN_MAX && pattern.split("/").length <= PARTS_MAX;
}

export interface GlobOptions {
  /** True if a leading dot in a name must be matched by a literal dot in the pattern, as in POSIX. */
  readonly leavesHidden?: boolean;
}

export function parseGlob(pattern: string, { leavesHidden = false }: GlobOptions = {}): Glob {
  if (pattern.length > PATTERN_MAX) {
    throw new Refusal(
      "malformed",
      `The pattern is longer than ${PATTERN_MAX} characters. Use a shorter one.`,
    );
  }
  const parts = componentsOf(pattern);
  const wanted = parts.filter((part, index) => part !== "**" || parts[index - 1] !== "**");
  if (wanted.length > PARTS_MAX) {
    throw new Refusal("malformed", `The pattern has more than ${PARTS_MAX} components. Use a shorter one.`);
  }
  const outright = wanted.slice(0, wanted.findIndex(hasMagic));
  const mayMatch = (part: string) => (name: string) =>
    !leavesHidden || !name.startsWith(".") || part.startsWith(".");
  const reach = reacher(
    wanted.map((part): ComponentTest => {
      const [isVisible, matches] = [mayMatch(part), part === "**" ? undefined : componentMatcher(part)];
      return {
        isAnyNumber: matches === undefined,
        test: (name) => isVisible(name) && (matches?.(name) ?? true),
      };
    }),
  );
  return {
    start: outright.length > 0 ? outright.join("/") : undefined,
    matches: (path) => reach(path).isWhole,
    covers: (path) => reach(path).isCovered,
    leadsInto: (folder) => folder === "" || reach(folder).isCovered || reach(folder).parts.includes(true),
  };
}

/** Matches one component. */
interface ComponentTest {
  /** True for `**`, which stands for any number of components. */
  readonly isAnyNumber: boolean;
  test(component: string): boolean;
}

/** The parts of the pattern matched so far by the components of a path. */
interface Reached {
  /** `parts[i]`: the first i parts of the pattern can match the components. */
  readonly parts: readonly boolean[];
  /** True if the whole pattern can match. */
  readonly isWhole: boolean;
  /** True if the whole pattern can match these components, or a prefix. */
  readonly isCovered: boolean;
}

/** Returns a matcher that caches the result for the last path's folder, because paths arrive folder by folder. */
function reacher(tests: readonly ComponentTest[]): (path: string) => Reached {
  const nothing = reachedBy(tests, [true], false);
  let last = { folder: "", reached: nothing };
  return (path) => {
    const cut = path.lastIndexOf("/");
    const folder = path.slice(0, Math.max(cut, 0));
    if (folder !== last.folder) {
      const components = folder === "" ? [] : folder.split("/");
      const reached = components.reduce((before, component) => step(tests, before, component), nothing);
      last = { folder, reached };
    }
    return step(tests, last.reached, path.slice(cut + 1));
  };
}

function step(tests: readonly ComponentTest[], before: Reached, component: string): Reached {
  const next: boolean[] = [];
  tests.forEach(({ isAnyNumber, test }, index) => {
    if (!before.parts[index] || !test(component)) return;
    next[isAnyNumber ? index : index + 1] = true;
  });
  return reachedBy(tests, next, before.isCovered);
}

/** Adds the states that are reached because `**` also matches no component. */
function reachedBy(tests: readonly ComponentTest[], parts: boolean[], wasCovered: boolean): Reached {
  tests.forEach(({ isAnyNumber }, index) => {
    if (parts[index] && isAnyNumber) parts[index + 1] = true;
  });
  const isWhole = parts[tests.length] === true;
  return { parts, isWhole, isCovered: wasCovered || isWhole };
}

type Token = "*" | ((character: string) => boolean);

function componentMatcher(part: string): (component: string) => boolean {
  const tokens = tokensOf(Array.from(part));
  return (component) => matchTokens(tokens, Array.from(component));
}

/** Matches with backtracking to the last star only: a mismatch extends the star's match by one character. */
function matchTokens(tokens: readonly Token[], text: readonly string[]): boolean {
  let token = 0;
  let at = 0;
  let star: { token: number; at: number } | undefined;
  while (at < text.length) {
    const wanted = tokens[token];
    if (wanted === "*") {
      star = { token, at };
      token += 1;
    } else if (wanted !== undefined && wanted(text[at]!)) {
      token += 1;
      at += 1;
    } else if (star) {
      star.at += 1;
      at = star.at;
      token = star.token + 1;
    } else {
      return false;
    }
  }
  while (tokens[token] === "*") token += 1;
  return token === tokens.length;
}

function tokensOf(characters: readonly string[]): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at]!;
    const end = character === "[" ? classEnd(characters, at) : -1;
    if (character === "*") tokens.push("*");
    else if (character === "?") tokens.push(() => true);
    else if (end !== -1) {
      tokens.push(classOf(characters.slice(at + 1, end)));
      at = end;
    } else tokens.push((other) => other === character);
  }
  return tokens;
}

/**
 * Returns the index of the `]` that closes a class, or -1 if the bracket is an ordinary character. A `]` right after
 * the start belongs to the class.
 */
function classEnd(characters: readonly string[], start: number): number {
  const first = ["!", "^"].includes(characters[start + 1] ?? "") ? start + 2 : start + 1;
  return characters.indexOf("]", first + 1);
}

function classOf(inside: readonly string[]): (character: string) => boolean {
  const isNegated = inside[0] === "!" || inside[0] === "^";
  const body = isNegated ? inside.slice(1) : inside;
  const ranges: [string, string][] = [];
  for (let at = 0; at < body.length; at += 1) {
    const isRange = body[at + 1] === "-" && body[at + 2] !== undefined;
    ranges.push([body[at]!, isRange ? body[at + 2]! : body[at]!]);
    if (isRange) at += 2;
  }
  return (character) => ranges.some(([low, high]) => low <= character && character <= high) !== isNegated;
}
