import type { Connection } from "#store/database/database";
import { RUN_COLUMNS, type Run, toRun } from "#store/runs/runs";
import type { Repeated } from "#workflow/run/conditions";

/** A run that repeats another run to verify the results. */
export interface Verification {
  /** The repetition. */
  readonly runId: string;
  /** The run whose results are verified. */
  readonly verifiedId: string;
  /** Name of the only step that is repeated. Null if the whole run is. */
  readonly step: string | null;
  /** Relative difference up to which numbers count as equal. */
  readonly tolerance: number;
  /** The result of comparing the files, as JSON. Null until the result is stored. */
  readonly verdict: string | null;
}

type NewVerification = Omit<Verification, "verdict">;

/** Records that a run repeats another. Must run in the transaction inserting the run. */
export async function insertVerification(db: Connection, verification: NewVerification): Promise<void> {
  const { runId, verifiedId, step, tolerance } = verification;
  await db
    .insertInto("verifications")
    .values({ run_id: runId, verified_id: verifiedId, step, experiment: null, tolerance, verdict: null })
    .execute();
}

/** Stores a verdict at the recorded tolerance. The first one counts: later, files may have been replaced. */
export async function keepVerdict(db: Connection, runId: string, verdict: string): Promise<void> {
  await db
    .updateTable("verifications")
    .set({ verdict })
    .where("run_id", "=", runId)
    .where("verdict", "is", null)
    .execute();
}

/** Returns the verification that a run carries out or looks for the cause of, or else the newest one of the run. */
export async function maybeVerification(db: Connection, runId: string): Promise<Verification | undefined> {
  const own = await db
    .selectFrom("verifications")
    .select(["run_id", "verified_id", "step", "tolerance", "verdict", "experiment"])
    .where("run_id", "=", runId)
    .executeTakeFirst();
  if (own && own.experiment !== null) return maybeVerification(db, own.verified_id);
  const row = own ?? (await newestOf(db, runId));
  if (!row) return undefined;
  const { run_id: id, verified_id: verifiedId, step, tolerance, verdict } = row;
  return { runId: id, verifiedId, step, tolerance, verdict };
}

async function newestOf(db: Connection, verifiedId: string) {
  return db
    .selectFrom("verifications")
    .innerJoin("runs", "runs.id", "verifications.run_id")
    .select(["verifications.run_id", "verified_id", "step", "tolerance", "verdict"])
    .where("verified_id", "=", verifiedId)
    .where("experiment", "is", null)
    .orderBy("runs.seq", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** A run that repeats a step of a repetition under changed conditions. */
export interface Experiment {
  readonly run: Run;
  readonly repeated: readonly Repeated[];
  readonly tolerance: number;
  readonly verdict: string | null;
}

interface NewExperiment extends Omit<NewVerification, "step"> {
  readonly repeated: readonly Repeated[];
}

/** Records that a run repeats a step of another. Must run in the transaction inserting the run. */
export async function insertExperiment(
  db: Connection,
  { runId, verifiedId, tolerance, repeated }: NewExperiment,
): Promise<void> {
  await db
    .insertInto("verifications")
    .values({
      run_id: runId,
      verified_id: verifiedId,
      step: null,
      experiment: JSON.stringify(repeated),
      tolerance,
      verdict: null,
    })
    .execute();
}

/** Returns the experiments on a run, in their order. */
export async function experimentsOf(db: Connection, verifiedId: string): Promise<Experiment[]> {
  const rows = await db
    .selectFrom("verifications")
    .innerJoin("runs", "runs.id", "verifications.run_id")
    .select(["experiment", "tolerance", "verdict", ...RUN_COLUMNS.map((column) => `runs.${column}` as const)])
    .where("verified_id", "=", verifiedId)
    .where("experiment", "is not", null)
    .orderBy("runs.seq")
    .execute();
  return rows.map((row) => {
    const { experiment, tolerance, verdict } = row;
    return { run: toRun(row), repeated: JSON.parse(experiment!) as Repeated[], tolerance, verdict };
  });
}
