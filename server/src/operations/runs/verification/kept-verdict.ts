import type { Connection } from "#store/database/database";
import { keepVerdict, type Verification } from "#store/runs/verifications";

/**
 * Returns the stored verdict of a verification or an experiment. Computes and stores the verdict if there is none. A
 * verdict at another tolerance is computed at each request and never stored.
 */
export async function keptVerdict<Verdict extends object>(
  db: Connection,
  { runId, tolerance, verdict }: Pick<Verification, "runId" | "tolerance" | "verdict">,
  asked: number | undefined,
  compute: () => Promise<Verdict | undefined>,
): Promise<Verdict | undefined> {
  if (asked !== undefined && asked !== tolerance) return compute();
  if (verdict !== null) return JSON.parse(verdict) as Verdict;
  const computed = await compute();
  if (computed) await keepVerdict(db, runId, JSON.stringify(computed));
  return computed;
}
