/** Formats `3723000` as `1h 2m 3s`: whole seconds, without zero parts, as REANA prints processor time. */
export function humanTime(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const parts = [
    `${Math.floor(seconds / 3600)}h`,
    `${Math.floor(seconds / 60) % 60}m`,
    `${seconds % 60}s`,
  ].filter((part) => !/^0[hms]$/.test(part));
  return parts.length === 0 ? "0s" : parts.join(" ");
}
