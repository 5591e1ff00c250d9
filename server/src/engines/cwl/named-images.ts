import type { NamedImage } from "#engines/documents";
import { IMAGE_WAYS, imageOf } from "#engines/cwl/command/mounts";
import { type Demands, effectiveRequirements } from "#engines/cwl/command/requirements";
import type { CwlModel } from "#engines/cwl/model/model";

/** Returns the images used by the tools of a workflow, each with the step that names it. */
export function imagesIn(model: CwlModel): readonly NamedImage[] {
  return [...imagesBelow(model, { number: model.main, around: [], steps: [] }, new Set())];
}

interface Visit {
  /** The number of the process. */
  readonly number: number;
  /** Demands of the surrounding workflows and steps, from the outside in. */
  readonly around: readonly Demands[];
  readonly steps: readonly string[];
}

/** Visits a process once for each inheritable image: nested workflows can have more paths than can be walked. */
function* imagesBelow(model: CwlModel, visit: Visit, seen: Set<string>): Generator<NamedImage> {
  const { number, around, steps } = visit;
  const { DockerRequirement: inherited } = effectiveRequirements({ requirements: [], hints: [] }, around, []);
  const key = `${number} ${JSON.stringify(inherited)}`;
  if (seen.has(key)) return;
  seen.add(key);
  const process = model.processes[number]!;
  if (process.kind === "workflow") {
    for (const step of process.steps)
      yield* imagesBelow(
        model,
        { number: step.run, around: [...around, process, step], steps: [...steps, step.name] },
        seen,
      );
    return;
  }
  const demands = effectiveRequirements(process, around, model.jobRequirements);
  const container = demands["DockerRequirement"];
  if (process.kind !== "tool" || !container) return;
  const way = IMAGE_WAYS.find((one) => container[one] !== undefined);
  yield {
    who: steps.length > 0 ? `Step "${steps.join("/")}"` : process.name,
    image: imageOf(demands),
    isRequired: !container.isHint,
    ...(way !== undefined && { madeBy: way }),
  };
}
