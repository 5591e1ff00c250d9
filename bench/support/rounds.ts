import { median } from "./table.ts";

const ROUNDS = 5;

/**
 * Measures both sides in turns, so that a disturbance of the machine affects both. Returns the median of the rounds'
 * ratios.
 */
export async function ratioInTurns(
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
  rounds = ROUNDS,
): Promise<{ ratio: number; detail: string }> {
  const pairs = await inTurns(ours, theirs, rounds);
  const ratio = median(pairs.map(([our, their]) => our / their));
  const text = (side: 0 | 1) => Math.round(median(pairs.map((pair) => pair[side]))).toLocaleString("en");
  return { ratio, detail: `${text(0)} against ${text(1)}` };
}

/**
 * Measures both sides in turns, and returns the ratio of the best rounds. Use it if one side varies more than
 * its machine: GNU make with two jobs at once takes 0.65 s or 1.7 s for the same work.
 */
export async function ratioOfBest(
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
  { rounds = ROUNDS, digits = 0 }: { readonly rounds?: number; readonly digits?: number } = {},
): Promise<{ ratio: number; detail: string }> {
  const pairs = await inTurns(ours, theirs, rounds);
  const best = (side: 0 | 1) => Math.min(...pairs.map((pair) => pair[side]));
  const text = (side: 0 | 1) => best(side).toLocaleString("en", { maximumFractionDigits: digits });
  return { ratio: best(0) / best(1), detail: `${text(0)} against ${text(1)}` };
}

/** Returns our and their result of each round. The first round warms both sides up and is dropped. */
async function inTurns(
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
  rounds: number,
): Promise<readonly [number, number][]> {
  const pairs: [number, number][] = [];
  await theirs();
  await ours();
  for (let round = 0; round < rounds; round += 1) pairs.push([await ours(), await theirs()]);
  return pairs;
}
