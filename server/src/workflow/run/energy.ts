/**
 * Estimates the energy of a run by the formula of Green Algorithms (Lannelongue and others, Advanced Science 2021,
 * doi:10.1002/advs.202100707). The measured processor time takes the place of cores times usage.
 */

/** Watts of one busy core: the value that the formula takes for a processor that is not known. */
export const WATTS_PER_CORE = 12;
/** Watts for each GiB of memory in use. */
export const WATTS_PER_GIB = 0.3725;
/** Factor for cooling and other losses: the world's average for data centres. */
export const POWER_USAGE_EFFECTIVENESS = 1.67;

export interface EnergyUse {
  readonly cpuMs: number;
  /** Peak memory of each job times its duration, summed. */
  readonly gibMs: number;
}

const MS_PER_HOUR = 3_600_000;

/** Returns the estimate in watt-hours. */
export function wattHours({ cpuMs, gibMs }: EnergyUse): number {
  const watts = cpuMs * WATTS_PER_CORE + gibMs * WATTS_PER_GIB;
  return (watts / MS_PER_HOUR) * POWER_USAGE_EFFECTIVENESS;
}
