/** Writes times as the page shows them: in the reader's own zone and language, with the 24 hours of the terminal. */

/** Parses a time of the API. REANA's records have no zone and mean UTC. */
export function timeOf(text: string): number {
  return Date.parse(/Z$|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`);
}

const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const DAY_OF_YEAR = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: "short", hourCycle: "h23" });
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long", hourCycle: "h23" });

/** Formats a time as `14:05` for today, `3 Nov, 14:05` for this year, and as a date before. */
export function shortTime(ms: number, nowMs: number): string {
  const [then, now] = [new Date(ms), new Date(nowMs)];
  if (then.toDateString() === now.toDateString()) return CLOCK.format(then);
  if (then.getFullYear() === now.getFullYear()) return `${DAY.format(then)}, ${CLOCK.format(then)}`;
  return DAY_OF_YEAR.format(then);
}

export function fullTime(ms: number): string {
  return FULL.format(ms);
}

/** Returns `45 ms`, `0.4 s`, `12 s`, `3 min 4 s`, `2 h 10 min`, `3 d 4 h`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 0.1) return `${Math.round(Math.max(0, ms))} ms`;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return parts(Math.floor(whole / 60), "min", whole % 60, "s");
  const minutes = Math.floor(whole / 60);
  if (minutes < 1440) return parts(Math.floor(minutes / 60), "h", minutes % 60, "min");
  return parts(Math.floor(minutes / 1440), "d", Math.floor((minutes % 1440) / 60), "h");
}

/** Returns the time between two times of the API, which are whole seconds: `< 1 s`, `5 s`, `3 min 4 s`. */
export function timeBetween(fromMs: number, toMs: number): string {
  const seconds = Math.max(0, Math.round((toMs - fromMs) / 1000));
  if (seconds === 0) return "< 1 s";
  return seconds < 10 ? `${seconds} s` : duration(seconds * 1000);
}

function parts(first: number, unit: string, second: number, secondUnit: string): string {
  return second === 0 ? `${first} ${unit}` : `${first} ${unit} ${second} ${secondUnit}`;
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

export function bytesText(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`;
}
