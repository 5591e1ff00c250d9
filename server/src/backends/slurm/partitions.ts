import { maybeSlurmTimeMs } from "#backends/slurm/slurm-time";
import { nearestWord } from "#plumbing/text/nearest-word";
import type { OptionProblem } from "#workflow/capabilities";

/** A partition of the cluster, with the longest time that a job may ask for. */
export interface Partition {
  readonly name: string;
  readonly limit: string;
}

/** The arguments of `sinfo` for the partitions. */
export const PARTITION_WORDS = ["--noheader", "--format=%R|%l"];

/** Parses the lines of `sinfo`, PARTITION|TIME. Lines of another form, such as a banner, are ignored. */
export function partitionsIn(text: string): readonly Partition[] {
  const lines = [...text.matchAll(/^([\w.+-]+)\|(\S+)\s*$/gm)].map(
    ([, name, limit]) => [name!, limit!] as const,
  );
  return [...new Map(lines)].map(([name, limit]) => ({ name, limit }));
}

/** Finds partitions that the cluster does not have, and times that a partition does not allow. */
export function partitionProblems(
  demands: Readonly<Record<string, unknown>>,
  partitions: readonly Partition[],
): readonly OptionProblem[] {
  const { slurm_partition: wanted, slurm_time: time } = demands;
  if (typeof wanted !== "string" || partitions.length === 0) return [];
  const names = wanted.split(",");
  const unknown = names.find((name) => !partitions.some((one) => one.name === name));
  if (unknown !== undefined)
    return [{ key: "slurm_partition", message: unknownPartition(unknown, partitions) }];
  const chosen = partitions.filter(({ name }) => names.includes(name));
  const timeMs = typeof time === "string" || typeof time === "number" ? maybeSlurmTimeMs(time) : undefined;
  if (timeMs === undefined || chosen.some(({ limit }) => timeMs <= limitMs(limit))) return [];
  const [{ name, limit }] = chosen as [Partition, ...Partition[]];
  return [
    {
      key: "slurm_time",
      message: `Slurm's partition ${name} allows jobs of ${limit} at most, and the step asks for ${String(time)}.`,
    },
  ];
}

function unknownPartition(name: string, partitions: readonly Partition[]): string {
  const known = partitions.map((one) => one.name);
  const nearest = nearestWord(name, known);
  const advice = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  return `Slurm has no partition ${JSON.stringify(name)}.${advice} It has: ${known.join(", ")}.`;
}

function limitMs(limit: string): number {
  return maybeSlurmTimeMs(limit) ?? Infinity;
}
