import { type MailContext, sendStatusReport } from "#operations/runs/status-report";
import { DAY_MS, toWireTime } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { moveReport, reportSchedule } from "#store/notifications/report-schedules";

type ReportInterval = "daily" | "weekly";

export interface ScheduledReport {
  readonly interval: ReportInterval;
  /** The server's own version. */
  readonly version: string;
}

const DAYS: Readonly<Record<ReportInterval, number>> = { daily: 1, weekly: 7 };
/** The day 0 of the clock, 1970-01-01, was a Thursday, and weeks begin on Monday. */
const DAYS_FROM_MONDAY = 3;
/** Time before a report is sent again, after no administrator received it or the server ended during the sending. */
const AGAIN_AFTER_MS = 3_600_000;

/**
 * Returns a function that sends the status report if it is due: after each midnight (UTC), or after the midnight before
 * Monday. All servers of the database share the schedule, and one of them sends. A server that was away at midnight
 * sends when it is back. The function returns the addresses.
 */
export function createScheduledReport(
  context: MailContext,
  { interval, version }: ScheduledReport,
): () => Promise<readonly string[]> {
  const { db, clock, random } = context;
  return async () => {
    const nowMs = clock.now();
    const { startMs, nextMs } = periodOf(interval, nowMs);
    const first = { dueAtMs: nextMs, seriesId: random.uuid() };
    const { dueAtMs, seriesId } = await reportSchedule(db, interval, first);
    const claimedMs = nowMs + AGAIN_AFTER_MS;
    if (dueAtMs > nowMs || !(await moveReport(db, interval, { from: dueAtMs, to: claimedMs }))) return [];
    crashPoint("report-claimed");
    // The id is stable: mail programs show a report once even if a crash made the server send it twice.
    const id = `report_${seriesId}_${toWireTime(startMs).slice(0, "2026-11-27".length)}`;
    const { sentTo, problems } = await sendStatusReport(context, { days: DAYS[interval], version, id });
    crashPoint("report-mailed");
    // A report that reached any administrator is not sent again.
    if (sentTo.length > 0) await moveReport(db, interval, { from: claimedMs, to: nextMs });
    if (problems.length > 0) throw new Error(problems.join(" "));
    return sentTo;
  };
}

/** Returns the start of the day or the week, and the start of the next one. */
function periodOf(interval: ReportInterval, nowMs: number): { startMs: number; nextMs: number } {
  const day = Math.floor(nowMs / DAY_MS);
  const startDay = interval === "daily" ? day : day - ((day + DAYS_FROM_MONDAY) % DAYS.weekly);
  return { startMs: startDay * DAY_MS, nextMs: (startDay + DAYS[interval]) * DAY_MS };
}
