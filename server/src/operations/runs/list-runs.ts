import type { Caller, Operations } from "#operations/context";
import type { Page } from "#operations/page";
import { rank, rankedRuns, type RankedBy } from "#operations/runs/ranked-list";
import { type JobProgress, progressOfRuns } from "#operations/watch/progress";
import { maybeBytesById } from "#operations/files/disk-usage";
import { isUuid } from "#plumbing/ids";
import { countRuns, listRuns as readRuns, streamRuns, type RunFilter } from "#store/runs/run-list";
import { runsInOrder } from "#store/runs/ranked-runs";
import type { Run } from "#store/runs/runs";
import type { RunStatus } from "#workflow/run-status";

/** Order by the time of creation, or by use, the largest first. */
export type ListOrder = "newest" | "oldest" | RankedBy;

export interface RunsWanted {
  /** Absent: every status but deleted. */
  readonly statuses?: readonly RunStatus[];
  /** Part of the name; upper and lower case are the same. */
  readonly nameContains?: string;
  /** UUID, or a name without run number. */
  readonly idOrName?: string;
  readonly order: ListOrder;
  readonly withProgress: boolean;
  /** May walk through the files of every workspace on the page, so it is done only on request. */
  readonly withWorkspaceSize: boolean;
}

export interface ListedRun {
  readonly run: Run;
  readonly progress?: JobProgress;
  readonly workspaceBytes?: number;
}

/** Part of the list. Absent: from the first item, to the last. */
export interface ListPart {
  readonly offset?: number;
  readonly limit?: number;
}

type Context = Pick<Operations, "db" | "workspaces">;

/** Returns one page of the caller's own runs. */
export async function listRuns(
  context: Context,
  caller: Caller,
  wanted: RunsWanted,
  page: { readonly page: number; readonly size: number },
): Promise<Page<ListedRun>> {
  const filter = filterOf(caller, wanted);
  const offset = (page.page - 1) * page.size;
  const runs = await readPage(context, filter, wanted.order, { offset, limit: page.size });
  const total = await countRuns(context.db, filter);
  return { items: await withDetails(context, runs, wanted), total, ...page };
}

async function readPage(
  context: Context,
  filter: RunFilter,
  order: ListOrder,
  { offset, limit }: Required<ListPart>,
): Promise<Run[]> {
  if (!isRanked(order))
    return readRuns(context.db, filter, { newestFirst: order === "newest", offset, limit });
  const seqs = await rank(context, filter, order);
  return runsInOrder(context.db, seqs.slice(offset, offset + limit));
}

function isRanked(order: ListOrder): order is RankedBy {
  return order === "cpu" || order === "disk";
}

/** Streams all runs or a part in chunks, so that any number can be sent without holding it in memory. */
export async function streamRunList(
  context: Context,
  caller: Caller,
  wanted: RunsWanted,
  part: ListPart,
): Promise<{ total: number; chunks: AsyncIterable<readonly ListedRun[]> }> {
  const filter = filterOf(caller, wanted);
  const total = await countRuns(context.db, filter);
  const { order } = wanted;
  const runs = isRanked(order)
    ? rankedRuns(context, await rank(context, filter, order))
    : streamRuns(context.db, filter, order === "newest");
  return { total, chunks: chunksOf(context, runs, wanted, part) };
}

async function* chunksOf(
  context: Context,
  source: AsyncIterable<readonly Run[]>,
  wanted: RunsWanted,
  { offset = 0, limit = Infinity }: ListPart,
): AsyncGenerator<readonly ListedRun[]> {
  let seen = 0;
  for await (const runs of source) {
    const chunk = runs.slice(Math.max(0, offset - seen), Math.max(0, offset + limit - seen));
    if (chunk.length > 0) yield await withDetails(context, chunk, wanted);
    seen += runs.length;
    if (seen >= offset + limit) return;
  }
}

/** Whether the caller has any run that is not deleted, regardless of the filters of a list. */
export async function hasRuns(context: Pick<Operations, "db">, caller: Caller): Promise<boolean> {
  return (await countRuns(context.db, { ownerId: caller.id })) > 0;
}

function filterOf(caller: Caller, wanted: RunsWanted): RunFilter {
  const { statuses, nameContains, idOrName } = wanted;
  return {
    ownerId: caller.id,
    ...(statuses && { statuses }),
    ...(nameContains !== undefined && { nameContains }),
    ...(idOrName !== undefined && (isUuid(idOrName) ? { id: idOrName.toLowerCase() } : { name: idOrName })),
  };
}

async function withDetails(context: Context, runs: readonly Run[], wanted: RunsWanted): Promise<ListedRun[]> {
  if (!wanted.withProgress && !wanted.withWorkspaceSize) return runs.map((run) => ({ run }));
  const progress = wanted.withProgress ? await progressOfRuns(context.db, runs) : undefined;
  const sizes = wanted.withWorkspaceSize ? await sizesOf(context, runs) : undefined;
  return runs.map((run) => ({
    run,
    ...(progress && { progress: progress.get(run.id)! }),
    ...(sizes && { workspaceBytes: sizes.get(run.workspaceId)! }),
  }));
}

async function sizesOf(context: Context, runs: readonly Run[]): Promise<ReadonlyMap<string, number>> {
  const ids = runs.map(({ workspaceId }) => workspaceId);
  return (await maybeBytesById(context, ids, Number.POSITIVE_INFINITY))!;
}
