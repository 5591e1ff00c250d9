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
  const pairs: [number, number][] = [];
  await theirs();
  await ours();
  for (let round = 0; round < rounds; round += 1) pairs.push([await ours(), await theirs()]);
  const ratio = median(pairs.map(([our, their]) => our / their));
  const text = (side: 0 | 1) => Math.round(median(pairs.map((pair) => pair[side]))).toLocaleString("en");
  return { ratio, detail: `${text(0)} against ${text(1)}` };
}
