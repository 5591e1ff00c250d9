import type { NamedGpus } from "#engines/documents";
import { namedGpus } from "#engines/steps/gpus";
import type { Stage, Workflow } from "#engines/yadage/model";
import { workflowsIn } from "#engines/yadage/state/context";
import { namedIn } from "#engines/yadage/steps/resources";

/** Returns the GPUs that the stages of a workflow name in the resources of their steps. */
export function gpusIn(workflow: Workflow): readonly NamedGpus[] {
  return workflowsIn(workflow).flatMap(({ stages }) => stages.flatMap(gpusOf));
}

function gpusOf({ name, scheduler }: Stage): NamedGpus[] {
  const steps = [scheduler.step, ...(scheduler.cases ?? []).map(({ step }) => step)];
  return steps.flatMap((step) => {
    const environment = step?.environment;
    if (environment?.environment_type !== "docker-encapsulated") return [];
    return namedGpus(`Stage "${name}"`, namedIn(environment.resources));
  });
}
