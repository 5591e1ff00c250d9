import type { Kysely } from "kysely";
import { keyOf, notNull, of, zero } from "#store/migrations/columns";

/**
 * Creates the tables of quotas: the limits of users who have limits of their own, and what ended runs have used, by
 * user and by the day (UTC) on which they ended.
 */
export async function createQuotas(db: Kysely<unknown>) {
  await db.schema
    .createTable("quotas")
    .addColumn("user_id", "text", keyOf("users.id"))
    .addColumn("cpu_limit_ms", "bigint")
    .addColumn("disk_limit_bytes", "bigint")
    .addColumn("wall_limit_ms", "bigint")
    .addColumn("period_months", "integer")
    .addColumn("period_start_at", "bigint")
    .execute();
  await db.schema
    .createTable("usage_days")
    .addColumn("user_id", "text", of("users.id"))
    .addColumn("day", "integer", notNull)
    .addColumn("cpu_ms", "bigint", zero)
    .addColumn("wall_ms", "bigint", zero)
    .addColumn("runs", "integer", zero)
    .addPrimaryKeyConstraint("usage_days_key", ["user_id", "day"])
    .execute();
}
