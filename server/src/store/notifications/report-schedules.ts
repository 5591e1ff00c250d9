import type { Connection } from "#store/database/database";

/** When the next scheduled status report is due. There is a row for each interval that a server has used. */
export interface ReportSchedule {
  readonly dueAtMs: number;
  /** Random. Tells the reports of this database from the reports of another one. */
  readonly seriesId: string;
}

/** Returns the schedule of an interval. Inserts `first` if the interval has no schedule. */
export async function reportSchedule(
  db: Connection,
  interval: string,
  first: ReportSchedule,
): Promise<ReportSchedule> {
  const find = () =>
    db.selectFrom("report_schedules").selectAll().where("interval", "=", interval).executeTakeFirst();
  let row = await find();
  if (row === undefined) {
    await db
      .insertInto("report_schedules")
      .values({ interval, series_id: first.seriesId, due_at: first.dueAtMs })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    row = (await find())!;
  }
  return { dueAtMs: row.due_at, seriesId: row.series_id };
}

/** Moves the due time. Returns false if another server has moved it first. */
export async function moveReport(
  db: Connection,
  interval: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("report_schedules")
    .set({ due_at: to })
    .where("interval", "=", interval)
    .where("due_at", "=", from)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
