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
  readonly limit: number;
}

const CURRENT_STATUSES = RUN_STATUSES.filter((status) => status !== "deleted");

export async function listWorkflows(
  db: Connection,
  filter: WorkflowFilter,
  page: WorkflowPage,
): Promise<Workflow[]> {
  const rows = await filtered(db, filter)
    .select(WORKFLOW_COLUMNS)
    .orderBy("seq", page.newestFirst ? "desc" : "asc")
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return rows.map(toWorkflow);
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

/** All workflows of a list, read in chunks so that any number of them can be streamed. */
export async function* streamWorkflows(
  db: Connection,
  filter: WorkflowFilter,
  newestFirst: boolean,
): AsyncGenerator<Workflow[]> {
  let last: number | undefined;
  for (;;) {
    let query = filtered(db, filter)
      .select(WORKFLOW_COLUMNS)
      .orderBy("seq", newestFirst ? "desc" : "asc")
      .limit(CHUNK);
    if (last !== undefined) query = query.where("seq", newestFirst ? "<" : ">", last);
    const rows = await query.execute();
    if (rows.length > 0) yield rows.map(toWorkflow);
    if (rows.length < CHUNK) return;
    last = rows.at(-1)!.seq;
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
