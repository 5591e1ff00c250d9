import type { Effective } from "#engines/cwl/command/requirements";
import { CwlFailure, type Evaluator, type Variables } from "#engines/cwl/expressions/evaluator";
import { GPUS_MAX, gpusIn } from "#workflow/job/gpus";

/** The GPUs that a tool asks for. */
interface AskedGpus {
  readonly gpus: number;
  /** True if the tool also runs without them. */
  readonly isHint: boolean;
}

/**
 * Returns the GPUs of a tool: the number in the hint `reana`, which only this server reads, or the smallest number of
 * `cwltool:CUDARequirement`.
 */
export function askedGpus(effective: Effective, evaluator: Evaluator, variables: Variables): AskedGpus {
  const named = gpusIn(effective["reana"] ?? {});
  if (named > 0) return { gpus: named, isHint: false };
  const requirement = effective["CUDARequirement"];
  if (!requirement) return { gpus: 0, isHint: false };
  const { cudaDeviceCountMin: least, cudaDeviceCountMax: most } = requirement;
  const wanted = evaluator.value(least ?? most ?? 1, variables, { field: "`cudaDeviceCountMin`" });
  if (typeof wanted === "number" && Number.isInteger(wanted) && wanted > 0 && wanted <= GPUS_MAX)
    return { gpus: wanted, isHint: requirement.isHint };
  throw new CwlFailure(
    `${evaluator.what}, CUDARequirement: \`cudaDeviceCountMin\` is ${JSON.stringify(wanted)}, not a number of devices.`,
  );
}
