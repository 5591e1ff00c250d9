import { type RawBuilder, sql } from "kysely";
import type { Connection } from "#store/database/database";
import { isPresent } from "#store/hosts/hosts";
import { lockWorkspace } from "#store/workspaces/workspaces";
import { DAYS_MAX, dueAtMs, type RetentionRule } from "#workflow/run/retention";

export interface NewRetentionRule extends RetentionRule {
  readonly id: string;
}

export async function insertRetentionRules(
  db: Connection,
  runId: string,
  rules: readonly NewRetentionRule[],
): Promise<void> {
  if (rules.length === 0) return;
  const row = ({ id, pattern, days }: NewRetentionRule) => ({ id, run_id: runId, pattern, days });
  await db.insertInto("retention_rules").values(rules.map(row)).execute();
}

/** Inserts the rules of a run of another service, which may have applied some of them. */
export async function insertImportedRules(
  db: Connection,
  runId: string,
  rules: readonly (NewRetentionRule & { readonly appliedAtMs: number | null })[],
): Promise<void> {
  if (rules.length === 0) return;
  const rows = rules.map(({ id, pattern, days, appliedAtMs }) => ({
    id,
    run_id: runId,
    pattern,
    days,
    applied_at: appliedAtMs,
  }));
  await db.insertInto("retention_rules").values(rows).execute();
}

/**
 * - created: the run has not ended.
 * - active: the rule will be applied.
 * - pending: the rule is being applied.
 * - inactive: the run was deleted, or a later run uses the workspace with rules of its own.
 */
type RetentionStatus = "created" | "active" | "pending" | "applied" | "inactive";

export interface KeptRule extends RetentionRule {
  readonly id: string;
  readonly status: RetentionStatus;
  readonly applyOnMs: number | null;
}

/** Returns the rules of one run. As in REANA, their time counts from when a run finishes or fails. */
export async function rulesOfRun(db: Connection, runId: string): Promise<KeptRule[]> {
  const rows = await db
    .selectFrom("retention_rules")
    .innerJoin("runs", "runs.id", "retention_rules.run_id")
    .select((expression) => [
      ...(["retention_rules.id", "pattern", "days", "claimed_by", "applied_at", "finished_at"] as const),
      "runs.status",
      expression.case().when(isReplaced).then(1).else(0).end().as("is_replaced"),
    ])
    .where("run_id", "=", runId)
    .orderBy("pattern")
    .execute();
  return rows.map((row) => {
    const { id, pattern, days, finished_at: endedAtMs } = row;
    const applyOnMs = endedAtMs === null ? null : dueAtMs(endedAtMs, days);
    return { id, pattern, days, applyOnMs, status: statusOf(row) };
  });
}

interface RuleState {
  readonly status: string;
  readonly is_replaced: number;
  readonly applied_at: number | null;
  readonly claimed_by: string | null;
  readonly finished_at: number | null;
}

function statusOf(row: RuleState): RetentionStatus {
  if (row.applied_at !== null) return "applied";
  if (row.status === "deleted" || row.is_replaced === 1) return "inactive";
  if (row.claimed_by !== null) return "pending";
  return row.finished_at === null ? "created" : "active";
}

/** True if a later run uses the workspace. */
const isReplaced = sql<boolean>`exists (select 1 from runs as later
  where later.workspace_id = runs.workspace_id and later.seq > runs.seq)`;

export interface DueRule {
  readonly id: string;
  readonly runId: string;
  readonly workspaceId: string;
  readonly pattern: string;
}

/** Returns due rules not being applied by a present host, by ascending id after `after`. */
export async function dueRules(
  db: Connection,
  nowMs: number,
  { after, max }: { readonly after: string; readonly max: number },
): Promise<DueRule[]> {
  const rows = await dueRuleRows(db, nowMs)
    .where("retention_rules.id", ">", after)
    .orderBy("retention_rules.id")
    .limit(max)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    runId: row.run_id,
    workspaceId: row.workspace_id,
    pattern: row.pattern,
  }));
}

export interface ComingRule extends DueRule {
  readonly dueAtMs: number;
}

/** Returns the rules due until the given time, in order of due time. */
export async function comingRules(db: Connection, untilMs: number, max: number): Promise<ComingRule[]> {
  const rows = await dueRuleRows(db, untilMs)
    .select(["days", "finished_at"])
    .orderBy(dueAt)
    .orderBy("retention_rules.id")
    .limit(max)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    runId: row.run_id,
    workspaceId: row.workspace_id,
    pattern: row.pattern,
    dueAtMs: dueAtMs(row.finished_at!, row.days),
  }));
}

/**
 * Adds days to the rules of a run that are neither applied nor being applied nor replaced. Returns how many there are.
 * Call it inside a transaction.
 */
export async function extendRules(
  tx: Connection,
  run: { readonly id: string; readonly workspaceId: string },
  days: number,
): Promise<number> {
  await lockWorkspace(tx, run.workspaceId);
  const open = (await rulesOfRun(tx, run.id)).filter(
    ({ status }) => status === "created" || status === "active",
  );
  for (const rule of open) {
    const columns = { days: Math.min(rule.days + days, DAYS_MAX) };
    await tx.updateTable("retention_rules").set(columns).where("id", "=", rule.id).execute();
  }
  return open.length;
}

function dueRuleRows(db: Connection, nowMs: number) {
  return db
    .selectFrom("retention_rules")
    .innerJoin("runs", "runs.id", "retention_rules.run_id")
    .select(["retention_rules.id", "run_id", "workspace_id", "pattern"])
    .where(sql<boolean>`retention_rules.applied_at is null`)
    .where("runs.status", "in", ["finished", "failed"])
    .where(sql<boolean>`${dueAt} <= ${nowMs}`)
    .where(sql<boolean>`not ${isReplaced}`)
    .where(sql<boolean>`not ${isClaimed(db)}`);
}

const DAY_MS = dueAtMs(0, 1);
/** In 64 bits: 25 days in milliseconds are more than PostgreSQL's integer holds. */
const dueAt = sql<number>`runs.finished_at + cast(retention_rules.days as bigint) * ${sql.lit(DAY_MS)}`;

/**
 * Returns whether a present host is applying the rule. If a host went away while applying a rule, another applies it
 * again.
 */
function isClaimed(db: Connection): RawBuilder<boolean> {
  return sql<boolean>`exists (select 1 from hosts where hosts.id = retention_rules.claimed_by and ${isPresent(db)})`;
}

/**
 * Returns false if the rule is claimed or no longer due. No restart can start in the workspace until the rule is
 * applied.
 */
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

/** Releases a host's rules after a failed attempt or a restart of its server. */
export async function releaseRules(db: Connection, hostId: string): Promise<void> {
  await db
    .updateTable("retention_rules")
    .set({ claimed_by: null })
    .where("claimed_by", "=", hostId)
    .execute();
}

/** Returns whether a rule is deleting files of the workspace. */
export async function isBeingPruned(db: Connection, workspaceId: string): Promise<boolean> {
  const row = await db
    .selectFrom("retention_rules")
    .innerJoin("runs", "runs.id", "retention_rules.run_id")
    .select("retention_rules.id")
    .where("workspace_id", "=", workspaceId)
    .where(sql<boolean>`retention_rules.applied_at is null`)
    .where(isClaimed(db))
    .executeTakeFirst();
  return row !== undefined;
}
