/** Formats a duration: `0.3 s`, `42 s`, `3 min 5 s`, `2 h 10 min`. */
export function duration(ms: number): string {
  if (ms < 10_000) return `${(Math.max(ms, 0) / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Formats an amount of time that is used or allowed, in whole seconds without zero parts: `0 s`, `1 min 30 s`, `100 h`. */
export function amountOfTime(ms: number): string {
  const whole = Math.floor(ms / 1000) * 1000;
  return duration(whole)
    .replace(".0 s", " s")
    .replace(/ 0 (min|s)$/, "");
}
