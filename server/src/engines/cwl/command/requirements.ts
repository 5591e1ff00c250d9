import type { Process, Requirement } from "#engines/cwl/model/model";

/** The effective requirements of a process: the nearest of each class, and whether it is more than a hint. */
export type Effective = Readonly<Record<string, Requirement & { readonly isHint: boolean }>>;

/** Demands around a process, from the outermost workflow to the step that runs the process. */
export interface Demands {
  readonly requirements: readonly Requirement[];
  readonly hints: readonly Requirement[];
}

/**
 * Returns the requirements and hints that apply to a process. The nearest requirement of a class wins. Any requirement
 * overrides any hint, even a hint of the process itself. Requirements of the input object take precedence over all.
 */
export function effectiveRequirements(
  process: Pick<Process, "requirements" | "hints">,
  around: readonly Demands[],
  fromJob: readonly Requirement[],
): Effective {
  const found: Record<string, Requirement & { readonly isHint: boolean }> = {};
  for (const { hints } of [...around, process])
    for (const one of hints) found[one.class] = { ...one, isHint: true };
  for (const { requirements } of [...around, process])
    for (const one of requirements) found[one.class] = { ...one, isHint: false };
  for (const one of fromJob) found[one.class] = { ...one, isHint: false };
  return found;
}
