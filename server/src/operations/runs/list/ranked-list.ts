import type { RunServices } from "#operations/runs/services";
import { maybeBytesById } from "#operations/quota/disk-of-owner";
import { Refusal } from "#plumbing/errors";
import { rankByCpu, runsInOrder, type WorkspaceOfRun, workspacesOfList } from "#store/runs/ranked-runs";
import type { RunFilter } from "#store/runs/run-list";
import type { Run } from "#store/runs/runs";

/** Values that a list can be ordered by besides the time of creation, the largest first. */
export type RankedBy = "cpu" | "disk";

type RankedListContext = Pick<RunServices, "db" | "workspaces">;

/** Number of rows read in one step. */
const CHUNK = 500;
/** Number of files that can be counted in about a second. */
const FILES_IN_PASSING = 100_000;

/** Returns the sequence numbers of all runs of a list, in its order. */
export async function rankRuns(
  context: RankedListContext,
  filter: RunFilter,
  by: RankedBy,
): Promise<number[]> {
  return by === "cpu" ? rankByCpu(context.db, filter) : rankByDisk(context, filter);
}

/** Yields the runs with these sequence numbers, in chunks. */
export async function* rankedRuns(
  { db }: Pick<RunServices, "db">,
  seqs: readonly number[],
): AsyncGenerator<Run[]> {
  for (let at = 0; at < seqs.length; at += CHUNK) yield runsInOrder(db, seqs.slice(at, at + CHUNK));
}

/** Orders runs by workspace size. Runs in the same workspace have equal sizes. */
async function rankByDisk(context: RankedListContext, filter: RunFilter): Promise<number[]> {
  const runs = await workspacesOfList(context.db, filter);
  const ids = runs.map(({ workspaceId }) => workspaceId);
  const sizes = await maybeBytesById(context, ids, FILES_IN_PASSING);
  if (!sizes) throw tooManyFiles(runs.length);
  const bytes = ({ workspaceId }: WorkspaceOfRun) => sizes.get(workspaceId)!;
  return runs.toSorted((a, b) => bytes(b) - bytes(a)).map(({ seq }) => seq);
}

function tooManyFiles(runs: number): Refusal {
  return new Refusal(
    "malformed",
    `The workspaces of these ${runs} workflows hold more than ${FILES_IN_PASSING} files, too many to order the ` +
      "workflows by them. Ask for fewer: by search, status or workflow_id_or_name.",
  );
}
