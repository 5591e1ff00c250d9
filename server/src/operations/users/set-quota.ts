import type { AccountServices } from "#operations/users/services";
import type { Quota } from "#operations/quota/quotas";
import { oneQuotaOwner, type QuotaOwner } from "#operations/users/get-quota";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { putLimit, putPeriod } from "#store/users/quotas";
import { type Resource, startOfDay } from "#workflow/people/quota";

type SetQuotaContext = Pick<AccountServices, "db" | "clock" | "quotas">;

/**
 * Sets limits for a user. Null restores the server's default, 0 means no limit. Returns the changed quota.
 */
export async function setLimit(
  context: SetQuotaContext,
  wanted: QuotaOwner,
  { resource, limit }: { readonly resource: Resource; readonly limit: number | null },
): Promise<Quota> {
  const user = await oneQuotaOwner(context, wanted);
  await putLimit(context.db, user.id, resource, limit);
  crashPoint("quota-set");
  return context.quotas.of(user.id);
}

/** Longest period, in months: a century. */
const MONTHS_MAX = 1200;

/**
 * Sets for how many months processor time is counted, and when the first of these periods starts: by default today.
 * Null months: it is counted since the user was added.
 */
export async function setPeriod(
  context: SetQuotaContext,
  wanted: QuotaOwner,
  { months, startMs }: { readonly months: number | null; readonly startMs: number | null },
): Promise<Quota> {
  const user = await oneQuotaOwner(context, wanted);
  if (months !== null && (months < 1 || months > MONTHS_MAX)) {
    throw new Refusal(
      "malformed",
      `A period of ${months} months is not possible: give 1 to ${MONTHS_MAX}, or null.`,
    );
  }
  const start = months === null ? null : startOfDay(startMs ?? context.clock.now());
  await putPeriod(context.db, user.id, { months, startMs: start });
  crashPoint("quota-set");
  return context.quotas.of(user.id);
}
