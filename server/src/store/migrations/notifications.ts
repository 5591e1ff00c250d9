import { type Kysely, sql } from "kysely";
import { key, notNull, of, zero } from "#store/migrations/columns";

/** Creates the tables of notifications and of their outbox. */
export async function createNotifications(db: Kysely<unknown>) {
  await db.schema
    .createTable("notifications")
    .addColumn("id", "text", key)
    .addColumn("user_id", "text", of("users.id"))
    .addColumn("run_id", "text", (column) => column.references("runs.id"))
    .addColumn("receiver", "text", notNull)
    .addColumn("statuses", "text", notNull)
    .addColumn("sealed", "text")
    .addColumn("created_at", "bigint", notNull)
    .addColumn("due_at", "bigint")
    .addColumn("failures", "integer", zero)
    .addColumn("delivered_at", "bigint")
    .addColumn("problem", "text")
    .execute();
  const index = (name: string) => db.schema.createIndex(name).on("notifications");
  // Each change of a run's status looks here.
  await index("notifications_of_user").column("user_id").execute();
  await index("notifications_due")
    .column("due_at")
    .where(sql<boolean>`due_at is not null`)
    .execute();
  await index("notifications_of_run")
    .column("run_id")
    .where(sql<boolean>`run_id is not null`)
    .execute();
  await createDeliveries(db);
  await createReportSchedules(db);
}

async function createReportSchedules(db: Kysely<unknown>) {
  await db.schema
    .createTable("report_schedules")
    .addColumn("interval", "text", key)
    .addColumn("series_id", "text", notNull)
    .addColumn("due_at", "bigint", notNull)
    .execute();
}

async function createDeliveries(db: Kysely<unknown>) {
  await db.schema
    .createTable("deliveries")
    .addColumn("notification_id", "text", of("notifications.id"))
    .addColumn("run_id", "text", of("runs.id"))
    .addColumn("status", "text", notNull)
    .addColumn("place", "integer", notNull)
    .addColumn("at", "bigint", notNull)
    .addPrimaryKeyConstraint("deliveries_key", ["notification_id", "run_id", "status"])
    .execute();
  // The oldest message of a notification. Two statuses of one run may have the same time.
  await db.schema
    .createIndex("deliveries_in_order")
    .on("deliveries")
    .columns(["notification_id", "at", "run_id", "place"])
    .execute();
  await db.schema.createIndex("deliveries_of_run").on("deliveries").column("run_id").execute();
}
