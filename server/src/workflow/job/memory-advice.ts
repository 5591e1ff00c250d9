import { shortSize } from "#plumbing/text/human-size";

/** Memory use of the jobs of one step. */
export interface StepMemory {
  /** Name of the step, or the position from 0 on if the step has no name. */
  readonly step: string;
  /** The memory limit of the jobs. Null if the limits differ or no limit was set. */
  readonly limitBytes: number | null;
  /** Peak of the job with the highest use. Null if no job was measured. */
  readonly peakBytes: number | null;
  /** True if every job finished. An unfinished job might have used more. */
  readonly isWhole: boolean;
}

/** A better memory limit for a step. */
export interface MemoryAdvice {
  readonly limitBytes: number;
  /** The limit as a specification writes it: `512Mi`. */
  readonly limit: string;
  readonly sentence: string;
}

/** A limit above this multiple of the peak keeps memory from other jobs. */
const MOST_TIMES = 3;
/** If the peak is above this share of the limit, the next input may exceed the limit. */
const MOST_SHARE = 0.9;
/** The advised limit, as a multiple of the peak. It is rounded up by at most a quarter. */
const ADVISED_TIMES = 1.5;
const MIB = 2 ** 20;
/** Smaller limits are not advised: the programs of a shell and their libraries take some memory too. */
const LEAST_ADVISED_MIB = 64;

/**
 * Advises another limit for a step that asks for far more memory than it used, or used almost all of its
 * limit.
 */
export function maybeMemoryAdvice({
  step,
  limitBytes,
  peakBytes,
  isWhole,
}: StepMemory): MemoryAdvice | undefined {
  if (limitBytes === null || peakBytes === null) return undefined;
  const mib = advisedMib(peakBytes);
  const advised = { limitBytes: mib * MIB, limit: mib % 1024 === 0 ? `${mib / 1024}Gi` : `${mib}Mi` };
  const [peak, limit] = [shortSize(peakBytes), shortSize(limitBytes)];
  if (peakBytes > MOST_SHARE * limitBytes) {
    const sentence = `Step "${step}" used ${peak} of its memory limit of ${limit}: ${advised.limit} would leave room.`;
    return { ...advised, sentence };
  }
  if (isWhole && limitBytes > MOST_TIMES * peakBytes && advised.limitBytes < limitBytes) {
    const sentence = `Step "${step}" asks for ${limit} of memory and used at most ${peak}: ${advised.limit} would do.`;
    return { ...advised, sentence };
  }
  return undefined;
}

/** Returns a limit above the peak, rounded up to the next quarter of a power of two. */
function advisedMib(peakBytes: number): number {
  const mib = Math.max(LEAST_ADVISED_MIB, (peakBytes * ADVISED_TIMES) / MIB);
  const unit = 2 ** Math.max(0, Math.floor(Math.log2(mib)) - 2);
  return Math.ceil(mib / unit) * unit;
}
