import type { Resources } from "#workflow/job/job";

/**
 * An amount of cores, memory and GPUs. Cores are in thousandths, because whole numbers add up and subtract exactly.
 */
export interface Amount {
  milliCores: number;
  memoryBytes: number;
  gpus: number;
}

const KINDS = ["milliCores", "memoryBytes", "gpus"] as const satisfies readonly (keyof Amount)[];

export const NOTHING: Readonly<Amount> = { milliCores: 0, memoryBytes: 0, gpus: 0 };

export function amountOf({ cores, memoryBytes, gpus = 0 }: Resources): Amount {
  return { milliCores: Math.round(cores * 1000), memoryBytes, gpus };
}

export function atMost(wanted: Amount, capacity: Amount): Amount {
  return {
    milliCores: Math.min(wanted.milliCores, capacity.milliCores),
    memoryBytes: Math.min(wanted.memoryBytes, capacity.memoryBytes),
    gpus: Math.min(wanted.gpus, capacity.gpus),
  };
}

interface Use {
  readonly inUse: Amount;
  readonly capacity: Amount;
}

export function fits(wanted: Amount, use: Use): boolean {
  return KINDS.every((kind) => hasRoom(kind, wanted, use));
}

export function hasGpusFor(wanted: Amount, use: Use): boolean {
  return hasRoom("gpus", wanted, use);
}

function hasRoom(kind: keyof Amount, wanted: Amount, { inUse, capacity }: Use): boolean {
  return inUse[kind] + wanted[kind] <= capacity[kind];
}

/** Adds to an amount, or subtracts from it. */
export function addAmount(to: Amount, amount: Amount, sign: 1 | -1): void {
  for (const kind of KINDS) to[kind] += sign * amount[kind];
}

export function isZero(amount: Amount): boolean {
  return KINDS.every((kind) => amount[kind] === 0);
}

/** Returns the share of the scarcest resource: half of the memory counts as much as half of the cores. */
export function shareOf(held: Amount, capacity: Amount): number {
  return Math.max(...KINDS.map((kind) => (held[kind] === 0 ? 0 : held[kind] / capacity[kind])));
}
