/** `minutes`, `minutes:seconds`, `hours:minutes:seconds`. */
const WITHOUT_DAYS = /^(\d{1,7})(?::(\d{1,2}))?(?::(\d{1,2}))?$/;
/** `days-hours`, `days-hours:minutes`, `days-hours:minutes:seconds`. */
const WITH_DAYS = /^(\d{1,5})-(\d{1,3})(?::(\d{1,2}))?(?::(\d{1,2}))?$/;

/** Returns the time of a limit in Slurm's notation, in milliseconds. Undefined for another text, and for 0. */
export function maybeSlurmTimeMs(value: string | number | boolean): number | undefined {
  const seconds = secondsIn(String(value).trim());
  return seconds !== undefined && seconds > 0 ? seconds * 1000 : undefined;
}

function secondsIn(text: string): number | undefined {
  const [, days, hours, minutes = 0, seconds = 0] = WITH_DAYS.exec(text) ?? [];
  if (days !== undefined)
    return Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  const [, first, second, third] = WITHOUT_DAYS.exec(text) ?? [];
  if (first === undefined) return undefined;
  return third === undefined
    ? Number(first) * 60 + Number(second ?? 0)
    : Number(first) * 3600 + Number(second) * 60 + Number(third);
}
