import { compareResults, mustCompareRecords } from "#operations/runs/comparison/compare-results";
import type { Caller } from "#operations/context";
import type { RunServices } from "#operations/runs/services";
import { findRun } from "#operations/find-run";
import { workspaceGone } from "#operations/files/find-workspace";
import { runResults } from "#operations/watch/run-results";
import { Refusal } from "#plumbing/errors";
import { printable } from "#plumbing/text/printable";
import { oneDefinition, type Run, type RunDefinition } from "#store/runs/runs";
import type { WorkspaceComparison } from "#workspace/comparison/comparison";

/** A run to compare, as returned by `findRun`. Both sides of a comparison may be the same run. */
export interface ComparedRun {
  readonly run: Run;
  readonly definition: RunDefinition;
}

export interface Addresses {
  readonly a: string;
  readonly b: string;
}

export async function comparedPair(
  context: Pick<RunServices, "db" | "clock">,
  caller: Caller,
  { a, b }: Addresses,
): Promise<{ readonly a: ComparedRun; readonly b: ComparedRun }> {
  const find = async (address: string): Promise<ComparedRun> => {
    const run = await findOne(context, caller, address);
    return { run, definition: await oneDefinition(context.db, run.id) };
  };
  return { a: await find(a), b: await find(b) };
}

/**
 * Finds one of the two runs. The refusal names the missing run: the usual wording assumes a single address.
 */
async function findOne(
  context: Pick<RunServices, "db" | "clock">,
  caller: Caller,
  address: string,
): Promise<Run> {
  try {
    return await findRun(context, caller, address, "see");
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== "absent") throw error;
    const shown = printable(address, 300);
    throw new Refusal("absent", `Workflow ${shown} does not exist.`, { cause: error });
  }
}

export const FILES_BASES = ["workspace", "recorded"] as const;

export interface FilesComparison {
  /** Sentence if the files cannot be compared. */
  readonly files: WorkspaceComparison | string;
  /** Either the files as they are now, or the records of when each run ended. */
  readonly basis: (typeof FILES_BASES)[number];
  /** Notes for the user about the files of either run. */
  readonly notes: readonly string[];
}

export async function compareFiles(
  { db, workspaces }: Pick<RunServices, "db" | "workspaces">,
  pair: { readonly a: ComparedRun; readonly b: ComparedRun },
  contextLines: number | "none",
  signal: AbortSignal,
): Promise<FilesComparison> {
  const [a, b] = [pair.a.run, pair.b.run];
  if (a.status === "deleted" || b.status === "deleted") throw workspaceGone();
  const [ofA, ofB] = [await runResults(db, a), await runResults(db, b)];
  const notes = [...new Set([ofA.note, ofB.note].filter((note) => note !== undefined))];
  if (mustCompareRecords(ofA, ofB)) return { files: compareResults(ofA, ofB), basis: "recorded", notes };
  const files = await workspaces.compare({ a: a.workspaceId, b: b.workspaceId, contextLines }, signal);
  return { files, basis: "workspace", notes };
}

/**
 * Returns the effective parameters of a run: the declared values, overridden by values given at the start.
 */
export function parametersOf({ specification, inputParameters }: RunDefinition): Record<string, unknown> {
  return { ...specification.inputs?.parameters, ...inputParameters };
}
