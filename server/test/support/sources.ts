import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** A source file of the server with its imports, for the architecture tests. */
export interface SourceFile {
  /** Path below `server/src` without `.ts`: what follows `#` in an import. */
  readonly name: string;
  readonly isTest: boolean;
  readonly text: string;
  /** The text without comments, to search for words in the code. */
  readonly code: string;
  /** Imports as written, including type-only imports. */
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
      // Code that only tests use is test code too: shared suites and fakes.
      isTest: /(\.test|-suite)\.ts$|(^|\/)fake-[^/]*\.ts$/.test(file),
      text,
      code: withoutComments(text),
      imports: importsOf(withoutComments(text)),
    };
  });
}

/** Returns the faults of each file by its name. Omits files without faults. */
export function faultsByFile<F extends { readonly name: string }>(
  files: readonly F[],
  faultsIn: (file: F) => readonly string[],
): Record<string, readonly string[]> {
  const found = files.map((file) => [file.name, faultsIn(file)] as const);
  return Object.fromEntries(found.filter(([, faults]) => faults.length > 0));
}

/** Finds the imports: `import … from "x"`, `export … from "x"`, `import "x"`, `import("x")` and `import("x").Type`. */
export function importsOf(code: string): string[] {
  const found = code.matchAll(
    /(?:^|[;\n])\s*(?:import|export)\b[^;"'`]*?\bfrom\s*["']([^"']+)["']|(?:^|[;\n])\s*import\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/g,
  );
  return [...found].map(([, from, bare, dynamic]) => (from ?? bare ?? dynamic)!);
}

/** Removes comments. Good enough for formatted code: a `//` counts only where no address (`http://`) is possible. */
function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|[\s;{}(,])\/\/[^\n]*/g, "$1");
}
