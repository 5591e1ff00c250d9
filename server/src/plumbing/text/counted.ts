/** Formats a number with its noun: `1 file` or `3 files`. The plural ends in `s`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
