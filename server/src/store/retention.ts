import { type RawBuilder, sql } from "kysely";
import type { Connection } from "#store/database";
import { isPresent } from "#store/hosts";
import { lockWorkspace } from "#store/workspaces";
import { dueAtMs, type RetentionRule } from "#workflow/retention";

export interface NewRetentionRule extends RetentionRule {
  readonly id: string;
}

export async function insertRetentionRules(
  db: Connection,
  workflowId: string,
  rules: readonly NewRetentionRule[],
): Promise<void> {
  if (rules.length === 0) return;
  const row = ({ id, pattern, days }: NewRetentionRule) => ({ id, workflow_id: workflowId, pattern, days });
  await db.insertInto("retention_rules").values(rules.map(row)).execute();
}

/**
 * created: the run has not ended. active: it will be applied. pending: it is being applied. inactive: its run was deleted, or
 * another one has come to the workspace, with rules of its own.
 */
type RetentionStatus = "created" | "active" | "pending" | "applied" | "inactive";

export interface KeptRule extends RetentionRule {
  readonly id: string;
  readonly status: RetentionStatus;
  readonly applyOnMs: number | null;
}

/** Of one run. REANA's rules begin to count when a run finishes or fails. */
export async function rulesOfWorkflow(db: Connection, workflowId: string): Promise<KeptRule[]> {
  const rows = await db
    .selectFrom("retention_rules")
    .innerJoin("workflows", "workflows.id", "retention_rules.workflow_id")
    .select((expression) => [
      ...(["retention_rules.id", "pattern", "days", "claimed_by", "applied_at", "finished_at"] as const),
      "workflows.status",
      expression.case().when(isReplaced).then(1).else(0).end().as("is_replaced"),
    ])
    .where("workflow_id", "=", workflowId)
    .orderBy("pattern")
    .execute();
  return rows.map((row) => {
    const { id, pattern, days, finished_at: endedAtMs } = row;
    const applyOnMs = endedAtMs === null ? null : dueAtMs(endedAtMs, days);
    return { id, pattern, days, applyOnMs, status: statusOf(row) };
  });
}

interface Standing {
  readonly status: string;
  readonly is_replaced: number;
  readonly applied_at: number | null;
  readonly claimed_by: string | null;
  readonly finished_at: number | null;
}

function statusOf(row: Standing): RetentionStatus {
  if (row.applied_at !== null) return "applied";
  if (row.status === "deleted" || row.is_replaced === 1) return "inactive";
  if (row.claimed_by !== null) return "pending";
  return row.finished_at === null ? "created" : "active";
}

/** A later run has come to the workspace. */
const isReplaced = sql<boolean>`exists (select 1 from workflows as later
  where later.workspace_id = workflows.workspace_id and later.seq > workflows.seq)`;

export interface DueRule {
  readonly id: string;
  readonly workflowId: string;
  readonly workspaceId: string;
  readonly pattern: string;
}

/** Their time has come, and no host that is there is at them. */
export async function dueRules(db: Connection, nowMs: number, max: number): Promise<DueRule[]> {
  const rows = await dueRuleRows(db, nowMs).limit(max).execute();
  return rows.map((row) => ({
    id: row.id,
    workflowId: row.workflow_id,
    workspaceId: row.workspace_id,
    pattern: row.pattern,
  }));
}

function dueRuleRows(db: Connection, nowMs: number) {
  return db
    .selectFrom("retention_rules")
    .innerJoin("workflows", "workflows.id", "retention_rules.workflow_id")
    .select(["retention_rules.id", "workflow_id", "workspace_id", "pattern"])
    .where(sql<boolean>`retention_rules.applied_at is null`)
    .where("workflows.status", "in", ["finished", "failed"])
    .where(sql<boolean>`workflows.finished_at + ${sql.lit(DAY_MS)} * retention_rules.days <= ${nowMs}`)
    .where(sql<boolean>`not ${isReplaced}`)
    .where(sql<boolean>`not ${isClaimed(db)}`);
}

const DAY_MS = dueAtMs(0, 1);

/** By a host that is there: what one that went away was at is done again. */
function isClaimed(db: Connection): RawBuilder<boolean> {
  return sql<boolean>`exists (select 1 from hosts where hosts.id = retention_rules.claimed_by and ${isPresent(db)})`;
}

/** Answers false when it is another's by now, or no longer due. No restart begins in the workspace until it is applied. */
export async function claimRule(
  db: Connection,
  rule: DueRule,
  hostId: string,
  nowMs: number,
): Promise<boolean> {
  await lockWorkspace(db, rule.workspaceId);
  const due = await dueRuleRows(db, nowMs).where("retention_rules.id", "=", rule.id).executeTakeFirst();
  if (!due) return false;
  await db.updateTable("retention_rules").set({ claimed_by: hostId }).where("id", "=", rule.id).execute();
  return true;
}

export async function markApplied(db: Connection, id: string, atMs: number): Promise<void> {
  const columns = { applied_at: atMs, claimed_by: null };
  await db.updateTable("retention_rules").set(columns).where("id", "=", id).execute();
}

/** It could not be applied, or the server that was at it has been started anew. */
export async function releaseRules(db: Connection, hostId: string): Promise<void> {
  await db
    .updateTable("retention_rules")
    .set({ claimed_by: null })
    .where("claimed_by", "=", hostId)
    .execute();
}

/** Whether files of the workspace are being deleted by a rule. */
export async function isBeingPruned(db: Connection, workspaceId: string): Promise<boolean> {
  const row = await db
    .selectFrom("retention_rules")
    .innerJoin("workflows", "workflows.id", "retention_rules.workflow_id")
    .select("retention_rules.id")
    .where("workspace_id", "=", workspaceId)
    .where(sql<boolean>`retention_rules.applied_at is null`)
    .where(isClaimed(db))
    .executeTakeFirst();
  return row !== undefined;
}
