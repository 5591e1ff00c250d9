/** Returns the number of a run from its full name: `.12.1` of `fit.12.1`. */
export function runNumber(fullName: string): string {
  return /(\.\d+)+$/.exec(fullName)?.[0] ?? "";
}
