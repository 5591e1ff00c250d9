import type { Caller } from "#operations/context";
import type { RunServices } from "#operations/runs/services";
import { findRun } from "#operations/find-run";
import { MAX_SPECIFICATION_BYTES } from "#sources/git-source";
import { placeInWords } from "#plumbing/formats/line-and-column";
import { placeInText } from "#workflow/specification/place-in-text";
import { oneDefinition, type Run, type RunDefinition } from "#store/runs/runs";

/** Parses YAML or JSON, which is YAML too. The parser is loaded on demand: most servers never need it. */
export async function parseSpecification(text: string, what: string): Promise<ParsedSpecification> {
  const { readYaml, warningSentences } = await import("#plumbing/formats/yaml");
  const parsed = readYaml(text, { maxBytes: MAX_SPECIFICATION_BYTES, what });
  const placeOf = (path: string) => placeInWords(what, placeInText(parsed, path));
  return { document: parsed.value, placeOf, warnings: warningSentences(parsed, what) };
}

/** A specification as a JSON document, with a function to locate its parts in the source text. */
export interface ParsedSpecification {
  readonly document: unknown;
  /** Returns file, line and column of a path such as `workflow.type`. */
  placeOf(path: string): string;
  /** Warnings about the text, as sentences with places. */
  readonly warnings: readonly string[];
}

/** Returns a run's specification and the inputs given at its start. */
export async function getDefinition(
  context: Pick<RunServices, "db" | "clock">,
  caller: Caller,
  address: string,
): Promise<{ readonly run: Run; readonly definition: RunDefinition }> {
  const run = await findRun(context, caller, address, "see");
  return { run, definition: await oneDefinition(context.db, run.id) };
}
