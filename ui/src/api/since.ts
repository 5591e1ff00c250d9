export const SINCE = {
  today: "Today",
  yesterday: "Since yesterday",
  week: "Last 7 days",
  month: "Last 30 days",
} as const;

export type Since = keyof typeof SINCE;

const DAYS: Readonly<Record<Since, number>> = { today: 0, yesterday: 1, week: 6, month: 29 };

/** Returns when a span of days begins: at midnight where the reader is. */
export function beginOf(since: Since, nowMs: number): number {
  const day = new Date(nowMs);
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() - DAYS[since]);
  return day.getTime();
}
