import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import type { Resource } from "#workflow/people/quota";

/** Limits that the administrator has set for one user. Null: the server's default. 0: no limit. */
export interface KeptQuota {
  readonly cpuMs: number | null;
  readonly diskBytes: number | null;
  readonly periodMonths: number | null;
  /** Start of the first period. */
  readonly periodStartMs: number | null;
}

const quotaRow = fixedQuery((db, { userId }: { userId: string }) =>
  db
    .selectFrom("quotas")
    .select(["cpu_limit_ms", "disk_limit_bytes", "period_months", "period_start_at"])
    .where("user_id", "=", userId),
);

export async function maybeQuota(db: Connection, userId: string): Promise<KeptQuota | undefined> {
  const row = (await quotaRow(db, { userId })).rows[0];
  return (
    row && {
      cpuMs: row.cpu_limit_ms,
      diskBytes: row.disk_limit_bytes,
      periodMonths: row.period_months,
      periodStartMs: row.period_start_at,
    }
  );
}

/** Sets one limit of a user. Null: the server's default. */
export async function putLimit(
  db: Connection,
  userId: string,
  resource: Resource,
  limit: number | null,
): Promise<void> {
  const columns = resource === "cpu" ? { cpu_limit_ms: limit } : { disk_limit_bytes: limit };
  await putColumns(db, userId, columns);
}

/** Sets for how long processor time is counted, and from when on. */
export async function putPeriod(
  db: Connection,
  userId: string,
  { months, startMs }: { readonly months: number | null; readonly startMs: number | null },
): Promise<void> {
  await putColumns(db, userId, { period_months: months, period_start_at: startMs });
}

type Columns = Partial<
  Record<"cpu_limit_ms" | "disk_limit_bytes" | "period_months" | "period_start_at", number | null>
>;

async function putColumns(db: Connection, userId: string, columns: Columns): Promise<void> {
  await db
    .insertInto("quotas")
    .values({ user_id: userId, ...columns })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(columns))
    .execute();
}
