import type { NamedGpus } from "#engines/documents";
import { namedGpus } from "#engines/steps/gpus";
import type { CwlModel, Process, Requirement, WorkflowStep } from "#engines/cwl/model/model";

/**
 * Returns the GPUs that the tools and steps of a workflow name, except in expressions, whose values are known only when a
 * job is made. A tool runs without the GPUs of a hint.
 */
export function gpusIn({ processes, jobRequirements }: CwlModel): readonly NamedGpus[] {
  const steps = processes.flatMap((process) => (process.kind === "workflow" ? process.steps : []));
  return [
    ...[...processes, ...steps].flatMap(gpusOf),
    ...jobRequirements.flatMap((one) => required("The input object", one)),
  ];
}

function gpusOf(holder: Process | WorkflowStep): NamedGpus[] {
  const who = "run" in holder ? `Step "${holder.name}"` : holder.name;
  const ofReana = [...holder.requirements, ...holder.hints].filter((one) => one.class === "reana");
  return [
    ...ofReana.flatMap((hint) => namedGpus(who, hint)),
    ...holder.requirements.flatMap((one) => required(who, one)),
  ];
}

function required(who: string, requirement: Requirement): NamedGpus[] {
  if (requirement.class !== "CUDARequirement") return [];
  const { cudaDeviceCountMin: least, cudaDeviceCountMax: most } = requirement;
  const gpus = least ?? most ?? 1;
  return typeof gpus === "number" ? [{ who, key: "cwltool:CUDARequirement", gpus }] : [];
}
