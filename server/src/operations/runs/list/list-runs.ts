import type { Caller } from "#operations/context";
import type { RunServices } from "#operations/runs/services";
import type { Page } from "#operations/page";
import { rankRuns, rankedRuns, type RankedBy } from "#operations/runs/list/ranked-list";
import { type JobProgress, progressOfRuns } from "#operations/watch/progress/progress";
import { maybeBytesById } from "#operations/quota/disk-of-owner";
import { isUuid } from "#plumbing/ids";
import { countRuns, listRuns as readRuns, streamRuns, type RunFilter } from "#store/runs/run-list";
import type { ListScope } from "#store/sharing/list-scope";
import { granteesOf } from "#store/sharing/groups";
import { maybeUserByEmail } from "#store/users/users";
import { maybeGranteeId } from "#operations/sharing/grantees";
import { restartsAfter } from "#operations/watch/restarted-as";
import { peopleOf } from "#operations/sharing/people-of-runs";
import { type ListedOutput, outputsOfRuns } from "#operations/runs/list/outputs-of-runs";
import { type Annotation, annotationsOf } from "#store/runs/run-notes";
import { parametersOfRuns } from "#store/runs/run-parameters";
import { splitPair } from "#workflow/run/given-parameters";
import { linesWith } from "#workflow/run/listed-parameters";
import { runsInOrder } from "#store/runs/ranked-runs";
import type { Run } from "#store/runs/runs";
import { type NotebookOfRun, notebooksOf as readNotebooks } from "#store/runs/notebooks";
import { schedulersOf } from "#store/jobs/dask-clusters";
import { type JobStatus, isOpenJob } from "#workflow/job/job";
import type { NotebookStatus } from "#workflow/notebook";
import type { RunStatus } from "#workflow/run/run-status";

/** Order by the time of creation, or by use, the largest first. */
export type ListOrder = "newest" | "oldest" | RankedBy;

/** The relation between the caller and the runs of a list, in the words of REANA's queries. */
export type Relation =
  /** The caller's own runs. */
  | { readonly kind: "own" }
  /** Includes runs shared by users with the caller. */
  | { readonly kind: "readable" }
  /** Runs shared with the caller by a user, or by anybody if the address is absent. */
  | { readonly kind: "shared-by"; readonly email?: string }
  /** The caller's own runs that are shared with a user or a group; without a name, with anybody. */
  | { readonly kind: "shared-with"; readonly grantee?: string }
  | { readonly kind: "unshared" }
  /** The caller's own runs that have an open notebook. */
  | { readonly kind: "with-notebook" };

export interface RunsQuery {
  /** Defaults to every status but `deleted`. */
  readonly statuses?: readonly RunStatus[];
  readonly relation: Relation;
  /** Part of the name; upper and lower case are the same. */
  readonly nameContains?: string;
  /** UUID, or a name without run number. */
  readonly idOrName?: string;
  /** Excludes runs created earlier than this time. */
  readonly createdSinceMs?: number;
  readonly tag?: string;
  /** `name=value` of parameters, all of which a run has. Needs `idOrName`. */
  readonly parameters?: readonly string[];
  readonly order: ListOrder;
  readonly withParameters?: boolean;
  /** Includes the note and the tags. */
  readonly withNotes?: boolean;
  /** Reads small outputs of every run on the page, so it is done only on request. */
  readonly withOutputs?: boolean;
  readonly withProgress: boolean;
  readonly withNotebooks: boolean;
  readonly withNotebookSecrets?: boolean;
  /** May walk through the files of every workspace on the page, so it is done only on request. */
  readonly withWorkspaceSize: boolean;
}

export interface ListedRun {
  readonly run: Run;
  readonly ownerEmail: string;
  /** The newest restart of the run. */
  readonly restartedAs?: Run;
  /** The users and groups with whom the run is shared. Empty for runs of others. */
  readonly sharedWith: readonly string[];
  readonly progress?: JobProgress;
  /** The Dask cluster of the run, from its start on. */
  readonly cluster?: { readonly isOpen: boolean };
  /** The open notebook of a run of the caller's own. */
  readonly notebook?: { readonly status: NotebookStatus; readonly secret?: string };
  readonly workspaceBytes?: number;
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly annotation?: Annotation;
  readonly outputs?: readonly ListedOutput[];
}

/** Part of the list. Optional: if both fields are absent, the whole list. */
export interface ListPart {
  readonly offset?: number;
  readonly limit?: number;
}

type ListContext = Pick<RunServices, "db" | "clock" | "workspaces" | "notebooks">;

/** Returns one page of the caller's runs, or of runs shared with the caller. */
export async function listRuns(
  context: ListContext,
  caller: Caller,
  wanted: RunsQuery,
  page: { readonly page: number; readonly size: number },
): Promise<Page<ListedRun>> {
  const filter = await maybeFilter(context, caller, wanted);
  if (!filter) return { items: [], total: 0, ...page };
  const offset = (page.page - 1) * page.size;
  const runs = await readPage(context, filter, wanted.order, { offset, limit: page.size });
  const total = await countRuns(context.db, filter);
  return { items: await withDetails(context, caller, runs, wanted), total, ...page };
}

async function readPage(
  context: ListContext,
  filter: RunFilter,
  order: ListOrder,
  { offset, limit }: Required<ListPart>,
): Promise<Run[]> {
  if (!isRanked(order))
    return readRuns(context.db, filter, { newestFirst: order === "newest", offset, limit });
  const seqs = await rankRuns(context, filter, order);
  return runsInOrder(context.db, seqs.slice(offset, offset + limit));
}

function isRanked(order: ListOrder): order is RankedBy {
  return order === "cpu" || order === "disk";
}

/** Streams a list of runs, or a part, in chunks: memory use does not depend on the number of runs. */
export async function streamRunList(
  context: ListContext,
  caller: Caller,
  wanted: RunsQuery,
  part: ListPart,
): Promise<{ total: number; chunks: AsyncIterable<readonly ListedRun[]> }> {
  const filter = await maybeFilter(context, caller, wanted);
  if (!filter) return { total: 0, chunks: NOTHING };
  const total = await countRuns(context.db, filter);
  const { order } = wanted;
  const runs = isRanked(order)
    ? rankedRuns(context, await rankRuns(context, filter, order))
    : streamRuns(context.db, filter, order === "newest");
  return { total, chunks: chunksOf(context, caller, runs, wanted, part) };
}

const NOTHING: AsyncIterable<never> = {
  [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }),
};

async function* chunksOf(
  context: ListContext,
  caller: Caller,
  source: AsyncIterable<readonly Run[]>,
  wanted: RunsQuery,
  { offset = 0, limit = Infinity }: ListPart,
): AsyncGenerator<readonly ListedRun[]> {
  let seen = 0;
  for await (const runs of source) {
    const chunk = runs.slice(Math.max(0, offset - seen), Math.max(0, offset + limit - seen));
    if (chunk.length > 0) yield await withDetails(context, caller, chunk, wanted);
    seen += runs.length;
    if (seen >= offset + limit) return;
  }
}

/** Returns whether the caller has any run that is not deleted, regardless of the filters of a list. */
export async function hasRuns(context: Pick<RunServices, "db">, caller: Caller): Promise<boolean> {
  return (await countRuns(context.db, { userId: caller.id })) > 0;
}

/** Returns the filter of a list, or undefined if it names a user or a group that does not exist. */
async function maybeFilter(
  context: ListContext,
  caller: Caller,
  { relation, statuses, nameContains, idOrName, createdSinceMs, tag, parameters }: RunsQuery,
): Promise<RunFilter | undefined> {
  const scope = await maybeScope(context, caller, relation);
  return (
    scope && {
      userId: caller.id,
      scope,
      ...(statuses && { statuses }),
      ...(nameContains !== undefined && { nameContains }),
      ...(createdSinceMs !== undefined && { createdSinceMs }),
      ...(tag !== undefined && { tag }),
      ...(parameters && { parameterLines: parameters.map((pair) => linesWith(...splitPair(pair))) }),
      ...(idOrName !== undefined && (isUuid(idOrName) ? { id: idOrName.toLowerCase() } : { name: idOrName })),
    }
  );
}

async function maybeScope(
  { db, clock }: ListContext,
  caller: Caller,
  relation: Relation,
): Promise<ListScope | undefined> {
  const nowMs = clock.now();
  switch (relation.kind) {
    case "own":
    case "with-notebook":
      return { kind: relation.kind };
    case "unshared":
      return { kind: "unshared", nowMs };
    case "readable":
      return { kind: "readable", granteeIds: await granteesOf(db, caller.id), nowMs };
    case "shared-with": {
      if (relation.grantee === undefined) return { kind: "shared", nowMs };
      const withId = await maybeGranteeId(db, relation.grantee);
      return withId === undefined ? undefined : { kind: "shared", withId, nowMs };
    }
    case "shared-by": {
      const others = { kind: "others", granteeIds: await granteesOf(db, caller.id), nowMs } as const;
      if (relation.email === undefined) return others;
      const owner = await maybeUserByEmail(db, relation.email);
      return owner && { ...others, byId: owner.id };
    }
  }
}

async function withDetails(
  context: ListContext,
  caller: Caller,
  runs: readonly Run[],
  wanted: RunsQuery,
): Promise<ListedRun[]> {
  const people = await peopleOf(context, caller, runs);
  const progress = wanted.withProgress ? await progressOfRuns(context.db, runs) : undefined;
  const notebooks = wanted.withNotebooks ? await notebooksOf(context, caller, runs, wanted) : undefined;
  const sizes = wanted.withWorkspaceSize ? await sizesOf(context, runs) : undefined;
  const asked = await askedDetails(context, runs, wanted);
  const restartOf = await restartsAfter(context.db, runs);
  const clusterOf = await clustersOf(context, runs);
  return runs.map((run) => ({
    ...asked(run),
    run,
    ...(restartOf(run) && { restartedAs: restartOf(run)! }),
    ...people(run),
    ...clusterOf(run),
    ...(progress && { progress: progress.get(run.id)! }),
    ...(notebooks?.has(run.id) && { notebook: notebooks.get(run.id)! }),
    ...(sizes && { workspaceBytes: sizes.get(run.workspaceId)! }),
  }));
}

/** Returns the requested details beyond REANA's lists. */
async function askedDetails(
  context: ListContext,
  runs: readonly Run[],
  { withParameters, withNotes, withOutputs }: RunsQuery,
): Promise<(run: Run) => Pick<ListedRun, "parameters" | "annotation" | "outputs">> {
  const seqs = runs.map(({ seq }) => seq);
  const parameters = withParameters ? await parametersOfRuns(context.db, seqs) : undefined;
  const annotation = withNotes ? await annotationsOf(context.db, seqs) : undefined;
  const outputs = withOutputs ? await outputsOfRuns(context, runs) : undefined;
  return ({ id, seq }) => ({
    ...(parameters && { parameters: parameters.get(seq) ?? {} }),
    ...(annotation && { annotation: annotation(seq) }),
    ...(outputs && { outputs: outputs.get(id) ?? [] }),
  });
}

async function notebooksOf(
  { db, notebooks }: ListContext,
  caller: Caller,
  runs: readonly Run[],
  { withNotebookSecrets }: RunsQuery,
) {
  const own = runs.filter(({ ownerId }) => ownerId === caller.id);
  const ids = own.map(({ id }) => id);
  const listed = (one: NotebookOfRun) => ({
    status: one.status,
    ...(withNotebookSecrets && { secret: notebooks.secretOf(one) }),
  });
  return new Map([...(await readNotebooks(db, ids))].map(([id, one]) => [id, listed(one)] as const));
}

async function clustersOf(
  { db }: ListContext,
  runs: readonly Run[],
): Promise<(run: Run) => Pick<ListedRun, "cluster">> {
  const schedulers: ReadonlyMap<string, JobStatus> = await schedulersOf(
    db,
    runs.map(({ id }) => id),
  );
  return ({ id }) => {
    const status = schedulers.get(id);
    return status === undefined ? {} : { cluster: { isOpen: isOpenJob(status) } };
  };
}

async function sizesOf(context: ListContext, runs: readonly Run[]): Promise<ReadonlyMap<string, number>> {
  const ids = runs.map(({ workspaceId }) => workspaceId);
  return (await maybeBytesById(context, ids, Number.POSITIVE_INFINITY))!;
}
