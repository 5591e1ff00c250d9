import type { Caller } from "#operations/context";
import type { FileServices } from "#operations/files/services";
import { findRun, type Run } from "#operations/find-run";
import { crashPoint } from "#plumbing/crash-points";
import { parseGlob } from "#plumbing/text/glob";
import { type Connection, transaction } from "#store/database/database";
import {
  claimRule,
  type DueRule,
  dueRules,
  insertRetentionRules,
  type KeptRule,
  markApplied,
  releaseRules,
  rulesOfRun,
} from "#store/workspaces/retention";
import { oneDefinition } from "#store/runs/runs";
import { retentionRules } from "#workflow/run/retention";
import { declaredPaths } from "#workflow/specification/declared-paths";
import type { Specification } from "#workflow/specification/specification";
import { namedBy } from "#plumbing/text/named-by";

/** Stores the retention rules with a new run, in its transaction. The rules apply as they are stored here. */
export async function keepRetentionRules(
  { random }: Pick<FileServices, "random">,
  db: Connection,
  runId: string,
  specification: Specification,
): Promise<void> {
  const rules = retentionRules(specification).map((rule) => ({ ...rule, id: random.uuid() }));
  await insertRetentionRules(db, runId, rules);
}

export async function listRetentionRules(
  context: Pick<FileServices, "db" | "clock">,
  caller: Caller,
  address: string,
): Promise<{ run: Run; rules: readonly KeptRule[] }> {
  const run = await findRun(context, caller, address, "see");
  return { run, rules: await rulesOfRun(context.db, run.id) };
}

type RetentionContext = Pick<FileServices, "db" | "clock" | "workspaces">;

/** Maximum number of rules in one pass. */
const RULES_AT_ONCE = 100;

/**
 * Returns a function that deletes the files matching due rules, except declared inputs and outputs. A pass
 * can be interrupted and repeated. The function returns the number of rules applied. Each pass continues
 * after the last rule of the previous pass, and starts again after the last of all rules: failing rules do
 * not block the rest.
 */
export function createRetention(
  context: RetentionContext,
  hostId: string,
  max = RULES_AT_ONCE,
): () => Promise<number> {
  let after = "";
  return async () => {
    const due = await dueRules(context.db, context.clock.now(), { after, max });
    after = due.length < max ? "" : due.at(-1)!.id;
    return applyRules(context, hostId, due);
  };
}

async function applyRules(
  context: RetentionContext,
  hostId: string,
  due: readonly DueRule[],
): Promise<number> {
  const { db, clock } = context;
  let applied = 0;
  const failures: unknown[] = [];
  for (const rule of due) {
    if (!(await transaction(db, (tx) => claimRule(tx, rule, hostId, clock.now())))) continue;
    crashPoint("rule-claimed");
    try {
      await applyRule(context, rule);
      applied += 1;
    } catch (error) {
      failures.push(error);
      await releaseRules(db, hostId);
    }
  }
  // A failed rule is tried again later, without delaying the remaining rules.
  if (failures.length > 0) throw failures[0];
  return applied;
}

async function applyRule({ db, clock, workspaces }: RetentionContext, rule: DueRule): Promise<void> {
  const kept = declaredIn((await oneDefinition(db, rule.runId)).specification);
  const workspace = workspaces.of(rule.workspaceId);
  await workspace.prune(await workspace.sparing(kept, deletionTest(rule.pattern, kept)));
  crashPoint("rule-carried-out");
  await markApplied(db, rule.id, clock.now());
  crashPoint("rule-applied");
}

/** Returns the declared paths. Retention rules never delete them. */
export function declaredIn(specification: Specification): readonly string[] {
  const { inputs, outputs } = declaredPaths(specification);
  return [...inputs, ...outputs];
}

/**
 * Returns a predicate for the files that a rule deletes: covered by its pattern, and not declared as outputs
 * or inputs.
 */
export function deletionTest(pattern: string, kept: readonly string[]): (path: string) => boolean {
  const isKept = namedBy(kept);
  const glob = parseGlob(pattern);
  return (path) => glob.covers(path) && !isKept(path);
}
