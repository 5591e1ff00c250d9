import { sql } from "kysely";
import type { Connection } from "#store/database";
import { countInStatuses } from "#store/workflow-counts";
import { toWorkflow, type Workflow, WORKFLOW_COLUMNS } from "#store/workflows";
import { RUN_STATUSES, type RunStatus } from "#workflow/run-status";

export interface WorkflowFilter {
  readonly ownerId: string;
  /** Absent: everything that is not deleted. */
  readonly statuses?: readonly RunStatus[];
  /** Part of the name, in any case of letters. */
  readonly nameContains?: string;
  readonly name?: string;
  readonly id?: string;
}

export interface WorkflowPage {
  readonly newestFirst: boolean;
  readonly offset: number;
  /** Absent: all. */
  readonly limit?: number;
}

const CURRENT_STATUSES = RUN_STATUSES.filter((status) => status !== "deleted");

export async function listWorkflows(
  db: Connection,
  filter: WorkflowFilter,
  page: WorkflowPage,
): Promise<Workflow[]> {
  let query = filtered(db, filter)
    .select(WORKFLOW_COLUMNS)
    .orderBy("seq", page.newestFirst ? "desc" : "asc");
  if (page.limit !== undefined) query = query.limit(page.limit).offset(page.offset);
  return (await query.execute()).map(toWorkflow);
}

/** Read off the maintained totals unless a name or an id narrows the list. */
export async function countWorkflows(db: Connection, filter: WorkflowFilter): Promise<number> {
  if (filter.nameContains === undefined && filter.name === undefined && filter.id === undefined) {
    return countInStatuses(db, filter.ownerId, filter.statuses ?? CURRENT_STATUSES);
  }
  const row = await filtered(db, filter)
    .select((expression) => expression.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return Number(row.total);
}

/** How many rows one step of a stream reads. */
const CHUNK = 500;

/** All current workflows of an owner, newest first, read in chunks so that any number of them can be streamed. */
export async function* streamWorkflows(db: Connection, ownerId: string): AsyncGenerator<Workflow[]> {
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const rows = await filtered(db, { ownerId })
      .select(WORKFLOW_COLUMNS)
      .where("seq", "<", before)
      .orderBy("seq", "desc")
      .limit(CHUNK)
      .execute();
    if (rows.length > 0) yield rows.map(toWorkflow);
    if (rows.length < CHUNK) return;
    before = rows.at(-1)!.seq;
  }
}

function filtered(db: Connection, filter: WorkflowFilter) {
  let query = db.selectFrom("workflows").where("owner_id", "=", filter.ownerId);
  query = filter.statuses
    ? query.where("status", "in", [...filter.statuses])
    : query.where("status", "!=", "deleted");
  if (filter.id !== undefined) query = query.where("id", "=", filter.id);
  if (filter.name !== undefined) query = query.where("name", "=", filter.name);
  if (filter.nameContains !== undefined) {
    query = query.where(
      sql<boolean>`lower(name) like ${`%${escapeLike(filter.nameContains.toLowerCase())}%`} escape '\\'`,
    );
  }
  return query;
}

function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, (character) => `\\${character}`);
}
