/** Number of characters at the end of a long name that are always shown. */
const END = 6;
/** A shorter name fits into every list. */
const LONG = 16;

export interface NameParts {
  /** The part that may be truncated. */
  readonly start: string;
  readonly end: string;
  /** The number of the run: `.12.1`. Empty for a name without a number. */
  readonly number: string;
}

/** Splits the full name of a run into a part that may be truncated and a part that may not. */
export function nameParts(fullName: string): NameParts {
  const number = runNumber(fullName);
  const letters = Array.from(fullName.slice(0, fullName.length - number.length));
  const cut = letters.length > LONG ? letters.length - END : letters.length;
  return { start: letters.slice(0, cut).join(""), end: letters.slice(cut).join(""), number };
}

/** Returns the number of a run from its full name: `.12.1` of `fit.12.1`. */
export function runNumber(fullName: string): string {
  return /(\.\d+)+$/.exec(fullName)?.[0] ?? "";
}
