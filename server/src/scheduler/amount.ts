import type { Resources } from "#workflow/job/job";

/** An amount of cores and memory. Cores are in thousandths, because whole numbers add up and subtract exactly. */
export interface Amount {
  milliCores: number;
  memoryBytes: number;
}

export const NOTHING: Readonly<Amount> = { milliCores: 0, memoryBytes: 0 };

export function amountOf({ cores, memoryBytes }: Resources): Amount {
  return { milliCores: Math.round(cores * 1000), memoryBytes };
}

export function atMost(wanted: Amount, capacity: Amount): Amount {
  return {
    milliCores: Math.min(wanted.milliCores, capacity.milliCores),
    memoryBytes: Math.min(wanted.memoryBytes, capacity.memoryBytes),
  };
}

export function fits(
  wanted: Amount,
  { inUse, capacity }: { readonly inUse: Amount; readonly capacity: Amount },
): boolean {
  return (
    inUse.milliCores + wanted.milliCores <= capacity.milliCores &&
    inUse.memoryBytes + wanted.memoryBytes <= capacity.memoryBytes
  );
}

/** Adds to an amount, or subtracts from it. */
export function addAmount(to: Amount, amount: Amount, sign: 1 | -1): void {
  to.milliCores += sign * amount.milliCores;
  to.memoryBytes += sign * amount.memoryBytes;
}

export function isZero({ milliCores, memoryBytes }: Amount): boolean {
  return milliCores === 0 && memoryBytes === 0;
}

/** Returns the share of the scarcer resource: half of the memory counts as much as half of the cores. */
export function shareOf(held: Amount, capacity: Amount): number {
  return Math.max(held.milliCores / capacity.milliCores, held.memoryBytes / capacity.memoryBytes);
}
