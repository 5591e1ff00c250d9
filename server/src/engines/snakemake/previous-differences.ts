import type { EngineInput, RunRequest } from "#engines/engine";
import type { Difference } from "#workflow/job/decision";

/** Returns differences unknown to Snakemake: the end of the job in the previous run, and changed parameters. */
export function previousDifferences(input: EngineInput, key: string): readonly Difference[] {
  const previous = input.restart?.previous;
  if (!previous) return [];
  const job = previous.jobs.find((one) => one.key === key);
  const isUnfinished = job !== undefined && job.status !== "finished";
  return [
    ...(isUnfinished ? [{ field: "status", before: job.status, now: "finished" }] : []),
    ...changedParameters(previous, input),
  ];
}

function changedParameters(before: PastRequest, now: PastRequest): readonly Difference[] {
  const [old, current] = [parametersOf(before), parametersOf(now)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(current)])];
  return names
    .map((name) => ({
      field: `parameters.${name}`,
      before: old[name] ?? null,
      now: current[name] ?? null,
    }))
    .filter((one) => JSON.stringify(one.before) !== JSON.stringify(one.now));
}

type PastRequest = Pick<RunRequest, "specification" | "parameters">;

function parametersOf({ specification, parameters }: PastRequest): Readonly<Record<string, unknown>> {
  return { ...specification.inputs?.parameters, ...parameters };
}
