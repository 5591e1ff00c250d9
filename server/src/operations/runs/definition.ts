import type { Caller, Operations } from "#operations/context";
import { findRun } from "#operations/find-run";
import { MAX_SPECIFICATION_BYTES } from "#sources/git-source";
import { oneDefinition, type Run, type RunDefinition } from "#store/runs/runs";

/** Parses YAML or JSON, which is YAML too. The parser is loaded on demand: most servers never need it. */
export async function parseSpecification(text: string, what: string): Promise<unknown> {
  const { parseYaml } = await import("#plumbing/formats/yaml");
  return parseYaml(text, { maxBytes: MAX_SPECIFICATION_BYTES, what });
}

/** Returns what a run was created with, and what its start was given. */
export async function getDefinition(
  context: Pick<Operations, "db">,
  caller: Caller,
  address: string,
): Promise<{ readonly run: Run; readonly definition: RunDefinition }> {
  const run = await findRun(context.db, caller, address, "see");
  return { run, definition: await oneDefinition(context.db, run.id) };
}
