/** `2026-11-22T13:47:55`: REANA's times are in UTC and do not say so. Others bring their zone along. */
export function parseTime(text: string): number {
  return Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
}

/** `2026-11-22 14:47:55` in the reader's zone, which the heading of the column names. */
export function localTime(text: string, timeZone: string): string {
  // The Swedish way to write a time is ISO's.
  return new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" }).format(
    parseTime(text),
  );
}
