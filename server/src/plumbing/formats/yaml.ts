import {
  type Alias,
  Composer,
  type Document,
  type DocumentOptions,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  parseDocument,
  type ParseOptions,
  Parser,
  type SchemaOptions,
  type YAMLMap,
} from "yaml";

import { Refusal } from "#plumbing/errors";
import { MAX_JSON_DEPTH } from "#plumbing/formats/json";
import { lineAndColumn, type TextPosition, placeInWords } from "#plumbing/formats/line-and-column";
import { lexemesOf } from "#plumbing/formats/yaml-lexer";
import { type DocumentPath, isMergeKey, positionIn, positionOf } from "#plumbing/formats/yaml-places";
import { maybePlainJson } from "#plumbing/formats/plain-json";
import { CORE_TAGS, PYYAML_TAGS } from "#plumbing/formats/yaml-scalars";

/**
 * Parses YAML from outside into plain JSON. The library finds the structure. Words, merge keys (`<<`), aliases and keys
 * are resolved here, so that every refusal can name its line and each of them is bounded: an alias is expanded by
 * walking its target again, and the values that all aliases add are counted.
 */
export interface YamlOptions {
  readonly maxBytes: number;
  /** The name of the text in a refusal: a file's name. */
  readonly what: string;
  /** The meaning of plain words: PyYAML's, by default, or that of YAML 1.2 (`yaml-scalars.ts`). */
  readonly schema?: "pyyaml" | "core";
}

/** The value of a text, with the places of its parts. */
export interface YamlDocument {
  readonly value: unknown;
  /** Returns the place of the key of an entry, or of an item of a list; for a path that does not exist, of its nearest part. */
  placeOf(path: DocumentPath): TextPosition;
  /** Warnings about duplicate keys, one for each. The last value counts, as in PyYAML. */
  readonly warnings: readonly YamlWarning[];
}

export interface YamlWarning extends TextPosition {
  readonly message: string;
}

/** Returns the warnings of a file as sentences that begin with the place. */
export function warningSentences({ warnings }: YamlDocument, file: string): readonly string[] {
  return warnings.map(({ message, ...place }) => `${placeInWords(file, place)}: ${message}`);
}

/** Limit of the values that aliases may add to a document: far more than people write, far less than a bomb. */
const MAX_ALIASED_VALUES = 10_000;
const MAX_REASON_LENGTH = 200;
const WARNINGS_MAX = 20;
/** The lexer's mark for a word that follows. The word may contain anything. */
const WORD_FOLLOWS = "\u001f";
const TOO_DEEP = `more than ${MAX_JSON_DEPTH} levels of nested lists and mappings`;

/** Refuses a text, with the place of the fault. */
export class MalformedYaml extends Refusal {
  readonly place: { readonly line: number; readonly column: number };
  /** The reason without the place. */
  readonly sentence: string;

  constructor(reason: string, { line, column }: { readonly line: number; readonly column: number }) {
    super("malformed", `${reason} at line ${line}, column ${column}.`);
    this.place = { line, column };
    this.sentence = `${reason}.`;
  }
}

export function parseYaml(text: string, options: YamlOptions): unknown {
  return readYaml(text, options).value;
}

/** Parses a text whose parts will be named by line and column. */
export function readYaml(text: string, options: YamlOptions): YamlDocument {
  const { maxBytes, what, schema } = options;
  if (Buffer.byteLength(text) > maxBytes) {
    throw new Refusal("malformed", `${what} is larger than ${maxBytes} bytes, which is the maximum.`);
  }
  const json = schema === "core" ? maybePlainJson(text) : undefined;
  if (!json) return readAnyYaml(text, options);
  // Places are needed only for errors.
  let placed: YamlDocument | undefined;
  return { ...json, warnings: [], placeOf: (path) => (placed ??= readAnyYaml(text, options)).placeOf(path) };
}

function readAnyYaml(text: string, { what, schema = "pyyaml" }: YamlOptions): YamlDocument {
  const refuse: Refuse = (reason, position) => {
    throw new MalformedYaml(`${what} is not valid YAML: ${reason}`, lineAndColumn(text, position));
  };
  refuseDeepBrackets(text, refuse);
  const document = parseStructure(text, what, schema);
  for (const error of document.errors) refuse(reasonOf(error), error.pos[0]);
  for (const warning of document.warnings) {
    if (warning.code === "TAG_RESOLVE_FAILED") refuse("a tag that has no meaning here", warning.pos[0]);
  }
  const { contents } = document;
  const repeated: YamlWarning[] = [];
  const converter = new Converter(refuse, (key, position) => {
    if (schema === "core") refuse(`the key "${key}" for the second time`, position);
    repeated.push({
      message: `The key "${key}" is given twice: the last one counts.`,
      ...lineAndColumn(text, position),
    });
  });
  const value = converter.convert(contents, 0);
  const placeOf = (path: DocumentPath) =>
    lineAndColumn(
      text,
      positionIn(contents, path, (alias) => converter.targetOf(alias)),
    );
  return { value, placeOf, warnings: repeated.slice(0, WARNINGS_MAX) };
}

type Refuse = (reason: string, position: number) => never;

/**
 * Refuses deep nesting before parsing: the parser takes seconds for some hundred thousand open brackets before it
 * fails. The lexer runs only if there are many brackets.
 */
function refuseDeepBrackets(text: string, refuse: Refuse): void {
  if ((text.match(/[[{]/g)?.length ?? 0) <= MAX_JSON_DEPTH) return;
  let depth = 0;
  let position = 0;
  let isWord = false;
  for (const lexeme of new Lexer().lex(text)) {
    if (!isWord && (lexeme === "[" || lexeme === "{")) depth += 1;
    if (!isWord && (lexeme === "]" || lexeme === "}")) depth -= 1;
    if (depth > MAX_JSON_DEPTH) refuse(TOO_DEEP, position);
    isWord = lexeme === WORD_FOLLOWS;
    position += isMark(lexeme) ? 0 : lexeme.length;
  }
}

/** Returns whether a lexeme is a mark that the lexer puts between the pieces of the text. */
function isMark(lexeme: string): boolean {
  return lexeme === WORD_FOLLOWS || lexeme === "\u0002" || lexeme === "\u0018";
}

type Schema = NonNullable<YamlOptions["schema"]>;

/**
 * Parses a text as standard YAML, or else as PyYAML reads it. If both parses fail, the errors are from the
 * former.
 */
function parseStructure(text: string, what: string, schema: Schema): Document.Parsed {
  const options: Options = {
    version: schema === "core" ? "1.2" : "1.1",
    schema: "failsafe",
    customTags: schema === "core" ? CORE_TAGS : PYYAML_TAGS,
    resolveKnownTags: false,
    // The converter checks duplicates: the library compares all pairs of keys.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "error",
  };
  try {
    const strict = parseDocument(text, options);
    if (!INDENT_ERRORS.has(strict.errors[0]?.code)) return strict;
    const [document, second] = parsedAsPyYaml(text, options);
    return document && !second && document.errors.length === 0 ? document : strict;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Refusal("malformed", `${what} is not valid YAML: ${TOO_DEEP}.`, { cause: error });
  }
}

/** Codes of the first error of a text whose quoted lines or brackets are not indented. */
const INDENT_ERRORS: ReadonlySet<string | undefined> = new Set(["MISSING_CHAR", "BAD_INDENT"]);

type Options = DocumentOptions & ParseOptions & SchemaOptions;

function parsedAsPyYaml(text: string, options: Options): Iterable<Document.Parsed> {
  const parser = new Parser();
  function* tokens() {
    for (const lexeme of lexemesOf(text)) yield* parser.next(lexeme);
    yield* parser.end();
  }
  return new Composer(options).compose(tokens(), true, text.length);
}

function reasonOf(error: { code: string; message: string }): string {
  if (error.code === "MULTIPLE_DOCS") return "a second document begins";
  // The library recurses, and reports a stack overflow as an error of the text.
  if (error.message.startsWith("Maximum call stack")) return TOO_DEEP;
  return error.message
    .slice(0, MAX_REASON_LENGTH)
    .replace(/\.$/, "")
    .replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

/**
 * Converts one document to JSON, in the order of its text: an alias means the last preceding anchor of its
 * name.
 */
class Converter {
  readonly #refuse: Refuse;
  readonly #onRepeated: (key: string, position: number) => void;
  readonly #anchors = new Map<string, unknown>();
  readonly #targets = new Map<Alias, unknown>();
  #aliasedValues = 0;
  #aliasDepth = 0;

  constructor(refuse: Refuse, onRepeated: (key: string, position: number) => void) {
    this.#refuse = refuse;
    this.#onRepeated = onRepeated;
  }

  convert(node: unknown, depth: number): unknown {
    if (this.#aliasDepth > 0) this.#countAliased(node);
    if (node === null || node === undefined) return null;
    if (isAlias(node)) return this.#convertAlias(node, (target) => this.convert(target, depth));
    this.#setAnchor(node);
    if (isScalar(node)) return this.#convertScalar(node.value, positionOf(node));
    if (depth >= MAX_JSON_DEPTH) {
      this.#refuse(TOO_DEEP, positionOf(node));
    }
    if (isSeq(node)) return node.items.map((item) => this.convert(item, depth + 1));
    if (isMap(node)) return this.#convertMap(node, depth);
    return this.#refuse("something that is no value", positionOf(node));
  }

  #countAliased(node: unknown): void {
    this.#aliasedValues += 1;
    if (this.#aliasedValues <= MAX_ALIASED_VALUES) return;
    this.#refuse(`aliases that stand for more than ${MAX_ALIASED_VALUES} values`, positionOf(node));
  }

  #setAnchor(node: unknown): void {
    const { anchor } = node as { anchor?: string };
    // An alias walks its target again, but the anchors inside were already set at their place in the text.
    if (anchor !== undefined && this.#aliasDepth === 0) this.#anchors.set(anchor, node);
  }

  /** Returns the node that an alias stands for. The first call must come in the order of the text. */
  targetOf(alias: Alias): unknown {
    if (!this.#targets.has(alias)) this.#targets.set(alias, this.#anchors.get(alias.source));
    return this.#targets.get(alias);
  }

  #convertAlias<Result>(alias: Alias, use: (target: unknown) => Result): Result {
    const target = this.targetOf(alias);
    if (target === undefined)
      this.#refuse(`an alias of "${alias.source}", which is no anchor before it,`, positionOf(alias));
    this.#aliasDepth += 1;
    const result = use(target);
    this.#aliasDepth -= 1;
    return result;
  }

  #convertScalar(value: unknown, position: number): unknown {
    const isJson = typeof value === "string" || typeof value === "boolean" || value === null;
    if (isJson || (typeof value === "number" && Number.isFinite(value))) return value;
    return this.#refuse("a number that JSON cannot represent", position);
  }

  /**
   * Converts a mapping. Its own keys override merged keys; among several merged mappings, the earlier wins.
   */
  #convertMap(map: YAMLMap, depth: number): Record<string, unknown> {
    const own = new Map<string, unknown>();
    const merged = new Map<string, unknown>();
    for (const pair of map.items) {
      if (isMergeKey(pair)) {
        for (const [key, value] of this.#mergedEntries(pair.value, depth)) {
          if (!merged.has(key)) merged.set(key, value);
        }
        continue;
      }
      const key = this.#convertKey(pair.key);
      if (own.has(key)) this.#onRepeated(key.slice(0, 80), positionOf(pair.key));
      own.set(key, this.convert(pair.value, depth + 1));
    }
    return Object.fromEntries([...merged, ...own]);
  }

  #mergedEntries(node: unknown, depth: number): [string, unknown][] {
    const merged = this.convert(node, depth + 1);
    const mappings = Array.isArray(merged) ? merged : [merged];
    return mappings.flatMap((mapping: unknown) => {
      if (typeof mapping === "object" && mapping !== null && !Array.isArray(mapping))
        return Object.entries(mapping);
      return this.#refuse('"<<" without a mapping or a list of mappings', positionOf(node));
    });
  }

  /** Converts a key to text, as JSON requires. Other words become text as they do when Python writes JSON. */
  #convertKey(node: unknown): string {
    if (isAlias(node)) return this.#convertAlias(node, (target) => this.#convertKey(target));
    if (node !== null && !isScalar(node))
      return this.#refuse("a key that is no single word or text", positionOf(node));
    const key = String(node === null ? null : this.convert(node, 0));
    if (key === "__proto__") this.#refuse('the key "__proto__", which is not allowed,', positionOf(node));
    return key;
  }
}
