import type { Connection } from "#store/database/database";
import type { Run } from "#store/runs/runs";
import type { ShadowKind, ShadowResult } from "#workflow/run/shadow";

/** A run that is also sent to another server. */
export interface Shadow {
  readonly runId: string;
  readonly ownerId: string;
  readonly remoteId: string | null;
  readonly failures: number;
  readonly createdAtMs: number;
  readonly dueAtMs: number | null;
  readonly problem: string | null;
  readonly result: ShadowResult | null;
}

interface ShadowRow {
  readonly run_id: string;
  readonly owner_id: string;
  readonly remote_id: string | null;
  readonly failures: number;
  readonly created_at: number;
  readonly due_at: number | null;
  readonly problem: string | null;
  readonly kind: ShadowKind | null;
  readonly cause: string | null;
  readonly result: string | null;
}

type Sides = Omit<ShadowResult, "kind" | "cause">;

function toShadow(row: ShadowRow): Shadow {
  return {
    runId: row.run_id,
    ownerId: row.owner_id,
    remoteId: row.remote_id,
    failures: row.failures,
    createdAtMs: row.created_at,
    dueAtMs: row.due_at,
    problem: row.problem,
    result: resultOf(row),
  };
}

function resultOf({ kind, cause, result }: ShadowRow): ShadowResult | null {
  return kind === null ? null : { kind, cause: cause!, ...(JSON.parse(result!) as Sides) };
}

/** Puts a run into the outbox, in the transaction of its start, unless its owner has switched that off. */
export async function addShadow(
  db: Connection,
  { runId, ownerId }: Pick<Shadow, "runId" | "ownerId">,
  nowMs: number,
): Promise<void> {
  if (!(await isShadowed(db, ownerId))) return;
  const row = { run_id: runId, owner_id: ownerId, failures: 0, created_at: nowMs, due_at: nowMs };
  await db
    .insertInto("shadows")
    .values({ ...row, remote_id: null, problem: null, kind: null, cause: null, result: null })
    .onConflict((conflict) => conflict.column("run_id").doNothing())
    .execute();
}

/** Returns whether the runs of a user are sent to the other server. */
export async function isShadowed(db: Connection, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom("users")
    .select("unshadowed_at")
    .where("id", "=", userId)
    .executeTakeFirst();
  return row?.unshadowed_at === null;
}

export async function setShadowed(
  db: Connection,
  userId: string,
  unshadowedAtMs: number | null,
): Promise<void> {
  await db.updateTable("users").set({ unshadowed_at: unshadowedAtMs }).where("id", "=", userId).execute();
}

/** Returns runs that are due for a step, the longest waiting first. */
export async function dueShadows(
  db: Connection,
  { nowMs, most }: { readonly nowMs: number; readonly most: number },
): Promise<readonly Shadow[]> {
  const rows = await db
    .selectFrom("shadows")
    .selectAll()
    .where("due_at", "<=", nowMs)
    .orderBy("due_at")
    .limit(most)
    .execute();
  return rows.map(toShadow);
}

/** Reserves a run until a time against other servers. Returns false if another server has it. */
export async function claimShadow(
  db: Connection,
  { runId, dueAtMs }: Shadow,
  untilMs: number,
): Promise<boolean> {
  const result = await db
    .updateTable("shadows")
    .set({ due_at: untilMs })
    .where("run_id", "=", runId)
    .where("due_at", "=", dueAtMs)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Records the outcome of a step. */
export async function recordShadow(
  db: Connection,
  runId: string,
  step: Pick<Shadow, "remoteId" | "failures" | "dueAtMs" | "problem" | "result">,
): Promise<void> {
  const { kind = null, cause = null, ...sides } = step.result ?? {};
  await db
    .updateTable("shadows")
    .set({
      remote_id: step.remoteId,
      failures: step.failures,
      due_at: step.dueAtMs,
      problem: step.problem,
      kind,
      cause,
      result: step.result && JSON.stringify(sides),
    })
    .where("run_id", "=", runId)
    .execute();
}

export interface NamedShadow extends Shadow, Pick<Run, "name" | "runMajor" | "runMinor"> {}

/** Returns the newest runs of a user that were sent, or of all users. */
export async function listShadows(
  db: Connection,
  { ownerId, most }: { readonly ownerId: string | undefined; readonly most: number },
): Promise<readonly NamedShadow[]> {
  const rows = await db
    .selectFrom("shadows")
    .innerJoin("runs", "runs.id", "shadows.run_id")
    .selectAll("shadows")
    .select(["runs.name", "runs.run_major", "runs.run_minor"])
    .$if(ownerId !== undefined, (query) => query.where("shadows.owner_id", "=", ownerId!))
    .orderBy("shadows.created_at", "desc")
    .limit(most)
    .execute();
  return rows.map((row) => ({
    ...toShadow(row),
    name: row.name,
    runMajor: row.run_major,
    runMinor: row.run_minor,
  }));
}
