import { Lexer } from "yaml";

/**
 * The private parts of the library's lexer that are patched here. `yaml.test.ts` fails if a release renames
 * them.
 */
interface Internals {
  /** Indentation that a value needs to continue on the next line. */
  indentNext: number;
  lex(source: string): Generator<string, void>;
  parseQuotedScalar(): Generator<string, unknown>;
  parseFlowCollection(): Generator<string, unknown>;
}

/**
 * Cuts a text into lexemes as PyYAML does, with which REANA reads YAML: the lines of a quoted text, and those between
 * brackets, may begin in any column. YAML itself wants them to be indented.
 */
class PyYamlLexer extends (Lexer as unknown as new () => Internals) {
  override *parseQuotedScalar(): Generator<string, unknown> {
    return yield* this.#withoutIndent(() => super.parseQuotedScalar());
  }

  override *parseFlowCollection(): Generator<string, unknown> {
    return yield* this.#withoutIndent(() => super.parseFlowCollection());
  }

  *#withoutIndent(lexemes: () => Generator<string, unknown>): Generator<string, unknown> {
    const { indentNext } = this;
    this.indentNext = 0;
    const next = yield* lexemes();
    this.indentNext = indentNext;
    return next;
  }
}

/** Returns the lexemes of a text. */
export function lexemesOf(text: string): Iterable<string> {
  return new PyYamlLexer().lex(text);
}
