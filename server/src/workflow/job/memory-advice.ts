import { shortSize } from "#plumbing/text/human-size";

/** Memory that the jobs of one step used. */
export interface StepMemory {
  /** Name of the step, or its position from 0 on if it has none. */
  readonly step: string;
  /** The memory limit of its jobs. Null if they had none, or several. */
  readonly limitBytes: number | null;
  /** Peak of the job that used most. Null if none was measured. */
  readonly peakBytes: number | null;
  /** True if each of its jobs finished. One that did not might have used more. */
  readonly isWhole: boolean;
}

/** A memory limit that fits a step better than its own. */
export interface MemoryAdvice {
  readonly limitBytes: number;
  /** The limit as a specification writes it: `512Mi`. */
  readonly limit: string;
  readonly sentence: string;
}

/** A step that asks for more times its peak than this keeps memory from others. */
const MOST_TIMES = 3;
/** A step that used more of its limit than this share may exceed it with the next input. */
const MOST_SHARE = 0.9;
/** The advised limit, as a multiple of the peak. It is rounded up by at most a quarter. */
const ADVISED_TIMES = 1.5;
const MIB = 2 ** 20;
/** Smaller limits are not advised: the programs of a shell and their libraries take some memory too. */
const LEAST_ADVISED_MIB = 64;

/** Advises another limit for a step that asks for far more memory than it used, or used almost all that it may. */
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
