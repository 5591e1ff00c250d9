/**
 * Parses `2026-11-22T13:47:55`, one of REANA's times, which are in UTC without a zone. Times with a zone keep
 * the zone.
 */
export function parseTime(text: string): number {
  return Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
}

/** Returns `2026-11-22 14:47:55` in the reader's zone, which the column heading names. */
export function localTime(text: string, timeZone: string): string {
  // Sweden writes times in ISO format.
  return new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" }).format(
    parseTime(text),
  );
}
