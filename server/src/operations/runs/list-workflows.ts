import type { Caller, Operations } from "#operations/context";
import type { Page } from "#operations/page";
import { rank, rankedWorkflows, type RankedBy } from "#operations/runs/ranked-list";
import { type JobProgress, jobProgress, maybeCurrent } from "#operations/watch/progress";
import { maybeBytesById } from "#operations/files/workspace-sizes";
import { isUuid } from "#plumbing/ids";
import { type JobRecord, jobsOfWorkflows } from "#store/jobs";
import {
  countWorkflows,
  listWorkflows as readWorkflows,
  streamWorkflows,
  type WorkflowFilter,
} from "#store/workflow-list";
import { workflowsInOrder } from "#store/ranked-workflows";
import type { Workflow } from "#store/workflows";
import type { RunStatus } from "#workflow/run-status";

/** Order by the time of creation, or by use, the largest first. */
export type ListOrder = "newest" | "oldest" | RankedBy;

export interface WorkflowsWanted {
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

export interface ListedWorkflow {
  readonly workflow: Workflow;
  readonly progress?: JobProgress;
  readonly workspaceBytes?: number;
}

/** Part of the list. Absent: from the first item, to the last. */
export interface ListPart {
  readonly offset?: number;
  readonly limit?: number;
}

type Context = Pick<Operations, "db" | "workspaces">;

/** Returns one page of the caller's own workflows. */
export async function listWorkflows(
  context: Context,
  caller: Caller,
  wanted: WorkflowsWanted,
  page: { readonly page: number; readonly size: number },
): Promise<Page<ListedWorkflow>> {
  const filter = filterOf(caller, wanted);
  const offset = (page.page - 1) * page.size;
  const workflows = await readPage(context, filter, wanted.order, { offset, limit: page.size });
  const total = await countWorkflows(context.db, filter);
  return { items: await withDetails(context, workflows, wanted), total, ...page };
}

async function readPage(
  context: Context,
  filter: WorkflowFilter,
  order: ListOrder,
  { offset, limit }: Required<ListPart>,
): Promise<Workflow[]> {
  if (!isRanked(order))
    return readWorkflows(context.db, filter, { newestFirst: order === "newest", offset, limit });
  const seqs = await rank(context, filter, order);
  return workflowsInOrder(context.db, seqs.slice(offset, offset + limit));
}

function isRanked(order: ListOrder): order is RankedBy {
  return order === "cpu" || order === "disk";
}

/** Streams all workflows or a part in chunks, so that any number can be sent without holding it in memory. */
export async function streamWorkflowList(
  context: Context,
  caller: Caller,
  wanted: WorkflowsWanted,
  part: ListPart,
): Promise<{ total: number; chunks: AsyncIterable<readonly ListedWorkflow[]> }> {
  const filter = filterOf(caller, wanted);
  const total = await countWorkflows(context.db, filter);
  const { order } = wanted;
  const workflows = isRanked(order)
    ? rankedWorkflows(context, await rank(context, filter, order))
    : streamWorkflows(context.db, filter, order === "newest");
  return { total, chunks: chunksOf(context, workflows, wanted, part) };
}

async function* chunksOf(
  context: Context,
  source: AsyncIterable<readonly Workflow[]>,
  wanted: WorkflowsWanted,
  { offset = 0, limit = Infinity }: ListPart,
): AsyncGenerator<readonly ListedWorkflow[]> {
  let seen = 0;
  for await (const workflows of source) {
    const chunk = workflows.slice(Math.max(0, offset - seen), Math.max(0, offset + limit - seen));
    if (chunk.length > 0) yield await withDetails(context, chunk, wanted);
    seen += workflows.length;
    if (seen >= offset + limit) return;
  }
}

/** Whether the caller has any workflow that is not deleted, regardless of the filters of a list. */
export async function hasWorkflows(context: Pick<Operations, "db">, caller: Caller): Promise<boolean> {
  return (await countWorkflows(context.db, { ownerId: caller.id })) > 0;
}

function filterOf(caller: Caller, wanted: WorkflowsWanted): WorkflowFilter {
  const { statuses, nameContains, idOrName } = wanted;
  return {
    ownerId: caller.id,
    ...(statuses && { statuses }),
    ...(nameContains !== undefined && { nameContains }),
    ...(idOrName !== undefined && (isUuid(idOrName) ? { id: idOrName.toLowerCase() } : { name: idOrName })),
  };
}

async function withDetails(
  context: Context,
  workflows: readonly Workflow[],
  wanted: WorkflowsWanted,
): Promise<ListedWorkflow[]> {
  if (!wanted.withProgress && !wanted.withWorkspaceSize) return workflows.map((workflow) => ({ workflow }));
  const jobs = wanted.withProgress ? await jobsByWorkflow(context, workflows) : undefined;
  const sizes = wanted.withWorkspaceSize ? await sizesOf(context, workflows) : undefined;
  return workflows.map((workflow) => ({
    workflow,
    ...(jobs && { progress: progressOf(workflow, jobs.get(workflow.id) ?? []) }),
    ...(sizes && { workspaceBytes: sizes.get(workflow.workspaceId)! }),
  }));
}

async function sizesOf(
  context: Context,
  workflows: readonly Workflow[],
): Promise<ReadonlyMap<string, number>> {
  const ids = workflows.map(({ workspaceId }) => workspaceId);
  return (await maybeBytesById(context, ids, Number.POSITIVE_INFINITY))!;
}

function progressOf(workflow: Workflow, jobs: readonly JobRecord[]): JobProgress {
  return jobProgress(workflow, jobs, maybeCurrent(jobs));
}

async function jobsByWorkflow(
  context: Context,
  workflows: readonly Workflow[],
): Promise<ReadonlyMap<string, JobRecord[]>> {
  const jobs = await jobsOfWorkflows(
    context.db,
    workflows.map((workflow) => workflow.id),
  );
  return Map.groupBy(jobs, (job) => job.workflowId);
}
