import type { LinkFinding } from "#engines/cwl/checks/check-links";
import type { Process, Requirement, Workflow, WorkflowStep } from "#engines/cwl/model/model";

const FEATURES = [
  "ScatterFeatureRequirement",
  "MultipleInputFeatureRequirement",
  "StepInputExpressionRequirement",
  "SubworkflowFeatureRequirement",
] as const;

type Feature = (typeof FEATURES)[number];

interface Use {
  readonly feature: Feature;
  /** Part of the workflow that uses the feature. */
  readonly at: object;
  readonly what: string;
}

interface Processes {
  readonly main: number;
  readonly processes: readonly Process[];
  /** Requirements of the input object. */
  readonly around: readonly Requirement[];
}

/**
 * Finds the optional features of CWL that a workflow uses but does not name. Reprise has all features. Other runners
 * refuse such a workflow.
 */
export function unnamedFeatures({ main, processes, around }: Processes): readonly LinkFinding[] {
  const findings: LinkFinding[] = [];
  const seen = new Set<string>();
  const visit = (number: number, outer: readonly Feature[]): void => {
    const process = processes[number];
    if (process?.kind !== "workflow") return;
    const named = withFeatures(outer, [...process.requirements, ...process.hints]);
    // A workflow may be reached in many ways. Only the named features around it can differ.
    const way = `${number} ${named.join()}`;
    if (seen.has(way)) return;
    seen.add(way);
    findings.push(...outputUses(process).filter(isUnnamed(named)).map(asFinding));
    for (const step of process.steps) {
      const inStep = withFeatures(named, [...step.requirements, ...step.hints]);
      findings.push(...stepUses(step, processes[step.run]).filter(isUnnamed(inStep)).map(asFinding));
      visit(step.run, inStep);
    }
  };
  visit(main, withFeatures([], around));
  return findings;
}

function withFeatures(named: readonly Feature[], requirements: readonly Requirement[]): readonly Feature[] {
  return FEATURES.filter(
    (feature) => named.includes(feature) || requirements.some((one) => one.class === feature),
  );
}

function isUnnamed(named: readonly Feature[]) {
  return ({ feature }: Use) => !named.includes(feature);
}

function asFinding({ feature, at, what }: Use): LinkFinding {
  return {
    at,
    message: `${what}, which needs \`${feature}\` under \`requirements\`: other runners refuse it.`,
  };
}

function stepUses(step: WorkflowStep, run: Process | undefined): readonly Use[] {
  const { name, scatter, inputs } = step;
  const uses: Use[] = [];
  if (scatter.length > 0)
    uses.push({ feature: "ScatterFeatureRequirement", at: scatter, what: `Step \`${name}\` scatters` });
  for (const input of inputs) {
    const what = `Step \`${name}\`, input \`${input.name}\` has`;
    if (input.sources.length > 1)
      uses.push({ feature: "MultipleInputFeatureRequirement", at: input, what: `${what} several sources` });
    if (input.valueFrom !== undefined)
      uses.push({ feature: "StepInputExpressionRequirement", at: input, what: `${what} a \`valueFrom\`` });
  }
  if (run?.kind === "workflow")
    uses.push({
      feature: "SubworkflowFeatureRequirement",
      at: step,
      what: `Step \`${name}\` runs a workflow`,
    });
  return uses;
}

function outputUses({ outputs }: Workflow): readonly Use[] {
  return outputs
    .filter(({ sources }) => sources.length > 1)
    .map((output) => ({
      feature: "MultipleInputFeatureRequirement",
      at: output,
      what: `The workflow's output \`${output.name}\` has several sources`,
    }));
}
