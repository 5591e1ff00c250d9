import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** The source text of the server, and what each file imports: for the tests that hold the house's rules. */
export interface SourceFile {
  /** From `server/src` on, without `.ts`: what stands after `#` in an import. */
  readonly name: string;
  readonly isTest: boolean;
  readonly text: string;
  /** Without comments, for looking for words in what is carried out. */
  readonly code: string;
  /** As they are written, type-only ones too. */
  readonly imports: readonly string[];
}

const SOURCE = path.join(import.meta.dirname, "..", "..", "src");

export function readSources(): SourceFile[] {
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  return files.toSorted().map((file) => {
    const text = readFileSync(path.join(SOURCE, file), "utf8");
    return {
      name: file.slice(0, -".ts".length),
      // What only tests use is a test too: suites that several share, and stand-ins.
      isTest: /(\.test|-suite)\.ts$|(^|\/)fake-[^/]*\.ts$/.test(file),
      text,
      code: withoutComments(text),
      imports: importsOf(withoutComments(text)),
    };
  });
}

/** `import … from "x"`, `export … from "x"`, `import "x"`, `import("x")` and `import("x").Type`. */
export function importsOf(code: string): string[] {
  const found = code.matchAll(
    /(?:^|[;\n])\s*(?:import|export)\b[^;"'`]*?\bfrom\s*["']([^"']+)["']|(?:^|[;\n])\s*import\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/g,
  );
  return [...found].map(([, from, bare, dynamic]) => (from ?? bare ?? dynamic)!);
}

/** Good enough for code that the formatter wrote: a `//` counts where no address (`http://`) can stand. */
function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|[\s;{}(,])\/\/[^\n]*/g, "$1");
}
