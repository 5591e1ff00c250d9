import type { Connection } from "#store/database/database";
import { keptLimits } from "#store/users/quotas";
import { effectivePolicy } from "#workflow/people/policy";
import type { QuotaPeriod } from "#workflow/people/quota";

/** Limits of users without individual limits. Optional: absent or 0 if unlimited. */
export interface DefaultQuota {
  readonly cpuMs?: number | undefined;
  readonly diskBytes?: number | undefined;
  readonly wallMs?: number | undefined;
}

/** Limits in force for one user. Undefined if unlimited. */
export interface Limits {
  readonly cpuMs: number | undefined;
  readonly diskBytes: number | undefined;
  /** Total time of all runs from start to end. */
  readonly wallMs: number | undefined;
  /** Maximum number of active runs. Optional: if absent, only the server's own limit applies. */
  readonly maxRuns?: number;
  /** If absent, processor time and wall clock are counted since the user was added. */
  readonly period?: QuotaPeriod;
}

/** Returns the limits of a user: their own, else the limits of a policy, else the server's. */
export async function limitsOf(db: Connection, userId: string, standard: DefaultQuota): Promise<Limits> {
  const { own, policies } = await keptLimits(db, userId);
  const policy = effectivePolicy(policies);
  const { periodMonths: months = null, periodStartMs: firstStartMs = null } = own ?? {};
  return {
    cpuMs: limitFrom(own?.cpuMs ?? policy.cpuMs, standard.cpuMs),
    diskBytes: limitFrom(own?.diskBytes ?? policy.diskBytes, standard.diskBytes),
    wallMs: limitFrom(own?.wallMs ?? policy.wallMs, standard.wallMs),
    ...(policy.maxRuns && { maxRuns: policy.maxRuns }),
    ...(months !== null && firstStartMs !== null && { period: { months, firstStartMs } }),
  };
}

function limitFrom(own: number | null | undefined, standard: number | undefined): number | undefined {
  const limit = own ?? standard;
  return limit === 0 ? undefined : limit;
}
