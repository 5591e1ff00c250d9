import { type Connection, transaction } from "#store/database/database";
import type { PublicationProgress, PublicationRequest, PublicationState } from "#workflow/run/publication";

/** The publication of a run on another server. */
export interface Publication {
  readonly runId: string;
  readonly request: PublicationRequest;
  readonly progress: PublicationProgress;
  /** True if the draft is to be published. */
  readonly submits: boolean;
  /** Failures in a row. */
  readonly failures: number;
  readonly createdAtMs: number;
  readonly dueAtMs: number | null;
  readonly problem: string | null;
}

interface Row {
  readonly run_id: string;
  readonly request: string;
  readonly progress: string;
  readonly submits: number;
  readonly failures: number;
  readonly created_at: number;
  readonly due_at: number | null;
  readonly problem: string | null;
}

function toPublication(row: Row): Publication {
  return {
    runId: row.run_id,
    request: JSON.parse(row.request) as PublicationRequest,
    progress: JSON.parse(row.progress) as PublicationProgress,
    submits: row.submits === 1,
    failures: row.failures,
    createdAtMs: row.created_at,
    dueAtMs: row.due_at,
    problem: row.problem,
  };
}

export function stateOf(publication: Publication | undefined): PublicationState {
  if (!publication) return "none";
  if (publication.dueAtMs !== null) return "sending";
  if (publication.problem !== null) return "failed";
  return publication.progress.isPublished ? "published" : "draft";
}

export async function maybePublication(db: Connection, runId: string): Promise<Publication | undefined> {
  const row = await db.selectFrom("publications").selectAll().where("run_id", "=", runId).executeTakeFirst();
  return row && toPublication(row);
}

/** Records that a user asks for a publication. An earlier one of the run is replaced, except for the steps that are done. */
export async function askForPublication(
  db: Connection,
  { runId, request, submits }: Pick<Publication, "runId" | "request" | "submits">,
  nowMs: number,
): Promise<void> {
  const asked = { request: JSON.stringify(request), submits: submits ? 1 : 0, due_at: nowMs };
  const none = { failures: 0, problem: null };
  await db
    .insertInto("publications")
    .values({ run_id: runId, ...asked, ...none, progress: "{}", held_by: null, created_at: nowMs })
    .onConflict((conflict) => conflict.column("run_id").doUpdateSet({ ...asked, ...none, created_at: nowMs }))
    .execute();
}

/** Notes that a draft that is on its way is to be published as well. */
export async function submitPublication(db: Connection, runId: string): Promise<void> {
  await db.updateTable("publications").set({ submits: 1 }).where("run_id", "=", runId).execute();
}

/** Makes the publications of this host due that an earlier server of the host has left. */
export async function releasePublications(db: Connection, hostId: string, nowMs: number): Promise<void> {
  await db
    .updateTable("publications")
    .set({ held_by: null, due_at: nowMs })
    .where("held_by", "=", hostId)
    .execute();
}

/** Returns the publications that are due for a step, the longest waiting first. */
export async function duePublications(
  db: Connection,
  { nowMs, most }: { readonly nowMs: number; readonly most: number },
): Promise<readonly Publication[]> {
  const rows = await db
    .selectFrom("publications")
    .selectAll()
    .where("due_at", "<=", nowMs)
    .orderBy("due_at")
    .limit(most)
    .execute();
  return rows.map(toPublication);
}

export interface Claim {
  readonly runId: string;
  readonly hostId: string;
  readonly untilMs: number;
}

/** Reserves a publication against other servers. Returns false if another server has it. */
export async function claimPublication(
  db: Connection,
  { dueAtMs }: Publication,
  { runId, hostId, untilMs }: Claim,
): Promise<boolean> {
  const result = await db
    .updateTable("publications")
    .set({ held_by: hostId, due_at: untilMs })
    .where("run_id", "=", runId)
    .where("due_at", "=", dueAtMs)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Renews a claim. Returns false if another server has the publication. */
export async function renewClaim(db: Connection, { runId, hostId, untilMs }: Claim): Promise<boolean> {
  const result = await db
    .updateTable("publications")
    .set({ due_at: untilMs })
    .where("run_id", "=", runId)
    .where("held_by", "=", hostId)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Records the steps that are done. The record of the run shows the DOI from then on. */
export async function recordProgress(
  db: Connection,
  runId: string,
  progress: PublicationProgress,
): Promise<void> {
  await transaction(db, async (connection) => {
    await connection
      .updateTable("publications")
      .set({ progress: JSON.stringify(progress) })
      .where("run_id", "=", runId)
      .execute();
    await connection
      .updateTable("runs")
      .set({ doi: progress.doi ?? null })
      .where("id", "=", runId)
      .execute();
  });
}

/** Ends a claim with what is left to do. If the user has asked for more since the publication was read, it is due at once. */
export async function endClaim(
  db: Connection,
  { runId, submits }: Pick<Publication, "runId" | "submits">,
  { nowMs, ...outcome }: Pick<Publication, "failures" | "dueAtMs" | "problem"> & { readonly nowMs: number },
): Promise<void> {
  await transaction(db, async (connection) => {
    const asked = await connection
      .selectFrom("publications")
      .select("submits")
      .where("run_id", "=", runId)
      .executeTakeFirst();
    const asksMore = asked?.submits === 1 && !submits && outcome.problem === null;
    await connection
      .updateTable("publications")
      .set({
        held_by: null,
        failures: outcome.failures,
        due_at: asksMore ? nowMs : outcome.dueAtMs,
        problem: outcome.problem,
      })
      .where("run_id", "=", runId)
      .execute();
  });
}
