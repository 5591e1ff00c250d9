import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./project.ts";

/** Measures the prose of this checkout by the rules of docs/style.md. */

export interface Prose {
  /** Doc comments of at least four words. */
  readonly docComments: readonly Passage[];
  /** Comments in TypeScript of at least four words. Adjacent line comments are one comment. */
  readonly comments: readonly Passage[];
  /** Every comment and every page of documentation. */
  readonly passages: readonly Passage[];
  /** Texts of the product for its users: help, descriptions of the API, messages, log lines. */
  readonly messages: readonly Passage[];
  /** Descriptions and summaries of the API's document. */
  readonly descriptions: readonly Passage[];
  /** Titles of tests and of groups of tests. */
  readonly titles: readonly Passage[];
}

export interface Passage {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** Texts of at most three words that only name an owner, such as "The step's". */
const OWNER_ONLY = /^(the |an? )?[\w-]+'s\.?$/i;

const MIN_WORDS = 4;

const FRAGMENT =
  /^(Of|Who|Whoever|Whose|Whom|What|Whatever|Those|One|Nothing|So|As|By|Where|Wherever|How|Such|Only|Not|Neither|Because|But|And|Answers|Told|Asked|Said|Whether|Absent|Present)\b/;
const TELL_WORD =
  /\b(whoever|whatever|meanwhile|by then|by now|anew|goes on|go on|is told|are told|those of|of it)\b/gi;

const PRONOUN =
  /^(what|which|that|those|this|these|it|its|one|ones|they|them|their|such|others?|same|there|then|so|none|nothing|whose)$/i;

/** A call of `test` or `describe`, also with a table of cases before the title. */
const TITLE =
  /\b(?:test|describe)(?:\.\w+)*(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?\(\s*("(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)/g;

/** Generated files, and files with quotations of other authors. */
const EXCLUDED = [
  /^sdk\/src\/schema\.ts$/,
  /^docs\/reference\//,
  /^fixtures\//,
  /^docs\/style\.md$/,
  /^tools\/prose/,
];

export function isFragment({ text }: Passage): boolean {
  return FRAGMENT.test(text);
}

export function tellWords({ text }: Passage): readonly string[] {
  return text.match(TELL_WORD) ?? [];
}

/** Returns true if a description of the API cannot stand alone: fewer than three words, or only an owner. */
export function isTooShort(passage: Passage): boolean {
  return wordCount(passage) < 3 || OWNER_ONLY.test(passage.text);
}

/** Returns the number of pronouns in a comment, and the number of its words. Code in backticks is one word. */
export function pronounsIn({ text }: Passage): { readonly pronouns: number; readonly words: number } {
  const words = text.replaceAll(/`[^`]*`/g, "x").match(/[a-z']+/gi) ?? [];
  return { pronouns: words.filter((word) => PRONOUN.test(word)).length, words: words.length };
}

export function wordCount({ text }: Passage): number {
  return text.split(/\s+/).filter((word) => /\w/.test(word)).length;
}

export function readProse(): Prose {
  const files = execFileSync("git", ["ls-files", "-z", "*.ts", "*.tsx", "*.js", "*.sh", "*.py", "*.md"], {
    cwd: ROOT,
  })
    .toString()
    .split("\0")
    .filter((file) => file !== "" && !EXCLUDED.some((pattern) => pattern.test(file)));
  const sources = files.map((file) => ({ file, source: readFileSync(path.join(ROOT, file), "utf8") }));
  const docComments = sources.flatMap(docCommentsIn);
  const others = sources.flatMap((file) =>
    file.file.endsWith(".md") ? [wholePage(file)] : lineCommentsIn(file),
  );
  return {
    docComments: docComments.filter((passage) => wordCount(passage) >= MIN_WORDS),
    comments: [...docComments, ...sources.flatMap(lineBlocksIn)].filter(
      (passage) => pronounsIn(passage).words >= MIN_WORDS,
    ),
    passages: [...docComments, ...others],
    messages: sources.flatMap(messagesIn).filter((passage) => wordCount(passage) >= MIN_WORDS),
    descriptions: sources.flatMap(descriptionsIn),
    titles: sources.flatMap(titlesIn),
  };
}

interface SourceFile {
  readonly file: string;
  readonly source: string;
}

function docCommentsIn({ file, source }: SourceFile): Passage[] {
  if (!/\.(tsx?|js)$/.test(file)) return [];
  return [...source.matchAll(/\/\*\*(.*?)\*\//gs)].map((match) => ({
    file,
    line: lineOf(source, match.index),
    text: match[1]!.replaceAll(/\n\s*\*? ?/g, " ").trim(),
  }));
}

function lineCommentsIn({ file, source }: SourceFile): Passage[] {
  const marker = /\.(tsx?|js)$/.test(file) ? /^\s*\/\/+ ?(.*)$/gm : /^\s*#+ ?(.*)$/gm;
  return [...source.matchAll(marker)].map((match) => ({
    file,
    line: lineOf(source, match.index),
    text: match[1]!,
  }));
}

/** Returns the line comments of a TypeScript file. Adjacent lines are one comment. */
function lineBlocksIn({ file, source }: SourceFile): Passage[] {
  if (!/\.tsx?$/.test(file)) return [];
  return [...source.matchAll(/(?:^[ \t]*\/\/.*\n)+/gm)].map((match) => ({
    file,
    line: lineOf(source, match.index),
    text: match[0].replaceAll(/^[ \t]*\/\/+ ?/gm, "").replaceAll("\n", " "),
  }));
}

/** Returns the texts in the code of the product. What a template inserts is left out. */
function messagesIn({ file, source }: SourceFile): Passage[] {
  if (!/^(server|sdk)\/src\/.*\.ts$/.test(file) || /\.test\.ts$|-suite\.ts$|-fixture\.ts$/.test(file))
    return [];
  const code = source.replaceAll(/\/\*.*?\*\/|^\s*\/\/.*$/gms, (comment) =>
    comment.replaceAll(/[^\n]/g, " "),
  );
  return [...code.matchAll(/"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)].map((match) => ({
    file,
    line: lineOf(code, match.index),
    text: (match[1] ?? match[2]!).replaceAll(/\$\{[^}]*\}/g, "…"),
  }));
}

/** Returns the descriptions and summaries of endpoints. Adjacent texts are joined. */
function descriptionsIn({ file, source }: SourceFile): Passage[] {
  if (!/^server\/src\/api\/.*\.ts$/.test(file) || file.endsWith(".test.ts")) return [];
  const texts = /\b(?:description|summary):\s*((?:(?:"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`)[\s+]*)+)/g;
  return [...source.matchAll(texts)].map((match) => ({
    file,
    line: lineOf(source, match.index),
    text: match[1]!
      .replaceAll(/["`]\s*\+\s*["`]/g, "")
      .trim()
      .slice(1, -1),
  }));
}

/** Returns the titles of a file of tests. An inserted value counts as no word. */
export function titlesIn({ file, source }: SourceFile): Passage[] {
  if (!/(\.test|-suite)\.tsx?$|^server\/test\//.test(file)) return [];
  return [...source.matchAll(TITLE)].map((match) => ({
    file,
    line: lineOf(source, match.index),
    text: match[1]!.slice(1, -1).replaceAll(/\$\{[^}]*\}|%[a-z]/g, "…"),
  }));
}

function wholePage({ file, source }: SourceFile): Passage {
  return { file, line: 1, text: source };
}

function lineOf(source: string, index: number): number {
  return source.slice(0, index).split("\n").length;
}
