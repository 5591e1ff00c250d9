/** Limits as an administrator writes them, in the words of `reprise quota` and `reprise admin policy`. */

export type Measure = "time" | "size" | "number";

const UNITS: Readonly<Record<Measure, Readonly<Record<string, number>>>> = {
  time: { h: 3_600_000, min: 60_000, s: 1000 },
  size: { TiB: 2 ** 40, GiB: 2 ** 30, MiB: 2 ** 20, KiB: 2 ** 10 },
  number: { "": 1 },
};
const EXAMPLES: Readonly<Record<Measure, string>> = { time: "100h", size: "50GiB", number: "20" };
const NO_LIMIT = "none";

/** Returns a limit in milliseconds, bytes or pieces: null if the text is empty, 0 for `none`. */
export function limitIn(text: string, measure: Measure): number | null {
  const given = text.trim();
  if (given === "") return null;
  if (given === NO_LIMIT) return 0;
  const [, digits = "", unit = ""] = /^(\d{1,9}) ?([A-Za-z]*)$/.exec(given) ?? [];
  const factor = Object.hasOwn(UNITS[measure], unit) ? UNITS[measure][unit]! : 0;
  if (Number(digits) * factor > 0) return Number(digits) * factor;
  throw new Error(`${given} is not a limit: give an amount such as ${EXAMPLES[measure]}, or none.`);
}

/** Returns the text of a limit, in the largest unit that divides it, or an empty text for null. */
export function limitText(limit: number | null | undefined, measure: Measure): string {
  if (limit === null || limit === undefined) return "";
  if (limit === 0) return NO_LIMIT;
  const units = Object.entries(UNITS[measure]);
  const [unit, factor] = units.find(([, one]) => limit % one === 0) ?? units.at(-1)!;
  return `${Math.ceil(limit / factor)}${unit}`;
}
