import type { AccountServices } from "#operations/users/services";
import { findUser } from "#operations/users/accounts";
import { DAY_MS } from "#plumbing/clock";
import { Refusal } from "#plumbing/errors";
import { type DayOfUse, daysOfUse, type Used } from "#store/runs/usage-days";
import { emailsOf } from "#store/users/users";
import { firstDayOf, monthOf } from "#workflow/people/quota";

export interface MonthOfUse extends Used {
  readonly userId: string;
  readonly email: string;
  /** `2026-11` */
  readonly month: string;
}

interface UsageRequest {
  /** First and last month. Optional: if absent, the current month. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Id or e-mail address. Optional: if absent, all users. */
  readonly user: string | undefined;
}

/** Returns what the runs and notebooks that ended in some months have used, by user and month, for the administrator. */
export async function usageByMonth(
  { db, clock }: Pick<AccountServices, "db" | "clock">,
  request: UsageRequest,
): Promise<MonthOfUse[]> {
  const now = monthOf(clock.now());
  const { to = now, from = to } = request;
  if (from > to) throw new Refusal("malformed", `The month ${from} is after ${to}: exchange from and to.`);
  const only = request.user === undefined ? undefined : await findUser(db, request.user);
  const days = await daysOfUse(db, {
    userId: only?.id,
    fromDay: firstDayOf(from, 0),
    toDay: firstDayOf(to, 1) - 1,
  });
  // Includes deleted users.
  const emails = await emailsOf(db, [...new Set(days.map(({ userId }) => userId))]);
  const months = Map.groupBy(days, ({ userId, day }) => `${userId} ${monthOf(day * DAY_MS)}`);
  return [...months].map(([key, all]) => {
    const [userId, month] = key.split(" ") as [string, string];
    return { userId, email: emails.get(userId)!, month, ...sumOf(all) };
  });
}

function sumOf(days: readonly DayOfUse[]): Used {
  const sum = (part: keyof Used) => days.reduce((total, day) => total + day[part], 0);
  return { cpuMs: sum("cpuMs"), wallMs: sum("wallMs"), runs: sum("runs") };
}
