import { sql } from "kysely";
import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import { ALL_USERS, isPolicyOf } from "#store/users/policies";
import type { AppliedPolicy } from "#workflow/people/policy";
import type { Resource } from "#workflow/people/quota";

/** Limits set by the administrator for one user. Null for the server's default, 0 for no limit. */
export interface KeptQuota {
  readonly cpuMs: number | null;
  readonly diskBytes: number | null;
  readonly wallMs: number | null;
  readonly periodMonths: number | null;
  /** Start of the first period. */
  readonly periodStartMs: number | null;
}

/** Limits of one user, and the policies in force for the user. */
interface KeptLimits {
  /** Undefined if the administrator has set no limits for the user. */
  readonly own: KeptQuota | undefined;
  readonly policies: readonly AppliedPolicy[];
}

/** A single statement, because it runs with every create and start. The row of a user has no group. */
const limitRows = fixedQuery((db, { userId }: { userId: string }) =>
  db
    .selectFrom("quotas")
    .select(["cpu_limit_ms", "disk_limit_bytes", "wall_limit_ms", "period_months", "period_start_at"])
    .select(sql<string | null>`cast(null as text)`.as("group_id"))
    .select(sql<number | null>`cast(null as integer)`.as("max_runs"))
    .where("user_id", "=", userId)
    .unionAll(
      db
        .selectFrom("policies")
        .select(["cpu_limit_ms", "disk_limit_bytes", "wall_limit_ms"])
        .select(sql<number | null>`cast(null as integer)`.as("period_months"))
        .select(sql<number | null>`cast(null as bigint)`.as("period_start_at"))
        .select(["group_id", "max_runs"])
        .where(isPolicyOf(userId)),
    ),
);

export async function keptLimits(db: Connection, userId: string): Promise<KeptLimits> {
  const { rows } = await limitRows(db, { userId });
  const own = rows.find((row) => row.group_id === null);
  const policies = rows.flatMap((row) =>
    row.group_id === null
      ? []
      : [
          {
            groupId: row.group_id === ALL_USERS ? null : row.group_id,
            images: null,
            cpuMs: row.cpu_limit_ms,
            diskBytes: row.disk_limit_bytes,
            wallMs: row.wall_limit_ms,
            maxRuns: row.max_runs,
          },
        ],
  );
  return {
    own: own && {
      cpuMs: own.cpu_limit_ms,
      diskBytes: own.disk_limit_bytes,
      wallMs: own.wall_limit_ms,
      periodMonths: own.period_months,
      periodStartMs: own.period_start_at,
    },
    policies,
  };
}

const LIMIT_COLUMNS = {
  cpu: "cpu_limit_ms",
  disk: "disk_limit_bytes",
  wall: "wall_limit_ms",
} as const satisfies Record<Resource, string>;

/** Sets one limit of a user. Null restores the server's default. */
export async function putLimit(
  db: Connection,
  userId: string,
  resource: Resource,
  limit: number | null,
): Promise<void> {
  await putColumns(db, userId, { [LIMIT_COLUMNS[resource]]: limit });
}

/** Sets for how long processor time and wall clock are counted, and from when on. */
export async function putPeriod(
  db: Connection,
  userId: string,
  { months, startMs }: { readonly months: number | null; readonly startMs: number | null },
): Promise<void> {
  await putColumns(db, userId, { period_months: months, period_start_at: startMs });
}

type Columns = Partial<
  Record<(typeof LIMIT_COLUMNS)[Resource] | "period_months" | "period_start_at", number | null>
>;

async function putColumns(db: Connection, userId: string, columns: Columns): Promise<void> {
  await db
    .insertInto("quotas")
    .values({ user_id: userId, ...columns })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(columns))
    .execute();
}
