import {
  COMPLETED,
  encoded,
  type Entity,
  FAILED,
  isoTime,
  refs,
  ref,
} from "#operations/reports/crate/json-ld";
import type { RunStep } from "#operations/reports/crate/run-steps";

/** Ids of referenced entities. */
export const IDS = {
  engine: "#reprise",
  agent: "#agent",
  run: "#run",
  language: "#language",
  license: "#license",
};

/** Properties of every software entity in the crate. */
export interface Software {
  readonly version: string;
  /** Where the steps are written down. */
  readonly url: string;
}

/** Returns the properties of a workflow with the names of steps and programs. */
export function partsOf(steps: readonly RunStep[]): Partial<Entity> {
  return { hasPart: refs(steps.map(toolId)), step: refs(steps.map(({ id }) => `#step/${encoded(id)}`)) };
}

function toolId({ id, children }: RunStep): string {
  return `#${children.length > 0 ? "workflow" : "tool"}/${encoded(id)}`;
}

/**
 * Yields how the engine ran the steps of a workflow: one control action a step with an action for each job. A workflow
 * within the workflow is a tool that the engine organizes in the same way.
 */
export function* stepEntities(
  steps: readonly RunStep[],
  workflow: { readonly suffix: string; readonly action: string; readonly times: Partial<Entity> },
  software: Software,
): Generator<Entity> {
  yield {
    "@id": `#organize${workflow.suffix}`,
    "@type": "OrganizeAction",
    name: "Work of the engine",
    instrument: ref(IDS.engine),
    agent: ref(IDS.agent),
    object: refs(steps.map(({ id }) => `#control/${encoded(id)}`)),
    result: ref(workflow.action),
    ...workflow.times,
  };
  for (const [index, step] of steps.entries()) yield* entitiesOf(step, index + 1, software);
}

function* entitiesOf(step: RunStep, position: number, software: Software): Generator<Entity> {
  const id = encoded(step.id);
  const { name, children } = step;
  const inner = children.length > 0 ? [`#run/${id}`] : [];
  yield {
    "@id": `#step/${id}`,
    "@type": "HowToStep",
    name,
    position: String(position),
    workExample: ref(toolId(step)),
  };
  yield {
    "@id": `#control/${id}`,
    "@type": "ControlAction",
    name: `Run of ${name}`,
    instrument: ref(`#step/${id}`),
    object: refs([...inner, ...step.actions]),
    actionStatus: step.hasFailed ? FAILED : COMPLETED,
  };
  if (children.length === 0) {
    const text = [...step.commands].join("\n");
    yield { "@id": toolId(step), "@type": "SoftwareSourceCode", name, text, ...software };
    return;
  }
  const times = { startTime: isoTime(step.startedAtMs), endTime: isoTime(step.endedAtMs) };
  yield {
    "@id": toolId(step),
    "@type": ["SoftwareSourceCode", "ComputationalWorkflow", "HowTo"],
    name,
    ...software,
    ...partsOf(children),
  };
  yield {
    "@id": `#run/${id}`,
    "@type": "CreateAction",
    name: `Run of ${name}`,
    description: "Run of a workflow within the workflow.",
    instrument: ref(toolId(step)),
    agent: ref(IDS.agent),
    actionStatus: step.hasFailed ? FAILED : COMPLETED,
    result: ref("ro-crate-preview.html"),
    ...times,
  };
  yield* stepEntities(children, { suffix: `/${id}`, action: `#run/${id}`, times }, software);
}
