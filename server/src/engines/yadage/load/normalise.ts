import type { Problem } from "#engines/problem";
import { checkFields } from "#engines/yadage/load/fields";
import { normalStep } from "#engines/yadage/load/packtivity";
import { type PlaceOf, Report } from "#engines/yadage/load/report";
import type { Body, Case, Parameter, Predicate, Scheduler, Stage, Workflow } from "#engines/yadage/model";
import { isObject } from "#workflow/specification/shape";

/**
 * Checks the shape of a workflow with inlined references, and fills in Yadage's defaults. A workflow loaded by REANA's
 * client already has the defaults.
 */
export function normalWorkflow(
  value: unknown,
  place: { readonly path: string; readonly placeOf: PlaceOf },
): { readonly workflow: Workflow; readonly problems: readonly Problem[] } {
  const report = new Report(place);
  const workflow = report.at(value, () => workflowOf(value, report));
  return { workflow, problems: report.problems };
}

type Fields = Readonly<Record<string, unknown>>;

function workflowOf(value: unknown, report: Report): Workflow {
  const stages = isObject(value) ? value.stages : undefined;
  if (!Array.isArray(stages)) {
    report.refuse("needs a list of stages");
    return { stages: [] };
  }
  if (isObject(value)) checkFields("workflow", value, report);
  const names = new Set<string>();
  return {
    stages: stages.flatMap((stage: unknown, index) => {
      const made = report.within(`stages.${index}`, () => report.at(stage, () => stageOf(stage, report)));
      if (made === undefined) return [];
      if (names.has(made.name)) report.refuse(`has two stages called "${made.name}"`);
      names.add(made.name);
      return [made];
    }),
  };
}

function stageOf(value: unknown, report: Report): Stage | undefined {
  if (!isObject(value)) return report.refuse("holds a stage that is no map");
  const { name, dependencies, scheduler } = value;
  if (typeof name !== "string" || name === "") return report.refuse("holds a stage without a name");
  return report.named(name, () => {
    checkFields("stage", value, report, "a description");
    if (!isObject(scheduler)) return report.refuse("needs a scheduler");
    const made = schedulerOf(scheduler, report);
    return made && { name, dependencies: predicateOf(dependencies, report), scheduler: made };
  });
}

function predicateOf(value: unknown, report: Report): Predicate {
  const ready = (expressions: unknown): Predicate => {
    const isFine = Array.isArray(expressions) && expressions.every((one) => typeof one === "string");
    if (!isFine) report.refuse("needs a list of texts as its dependencies");
    return { dependency_type: "jsonpath_ready", expressions: isFine ? expressions : [] };
  };
  if (value === undefined || value === null) return ready([]);
  if (Array.isArray(value)) return ready(value);
  const { dependency_type: type, expressions = [] } = isObject(value) ? value : {};
  if (isObject(value)) checkFields("predicate", value, report, "dependencies");
  if (type === "jsonpath_ready") return ready(expressions);
  if (type === "expressions_fulfilled" && Array.isArray(expressions))
    return { dependency_type: type, expressions: expressions as unknown[] };
  report.refuse("has dependencies that are neither a list nor a known predicate");
  return ready([]);
}

function schedulerOf(value: Fields, report: Report): Scheduler | undefined {
  const { scheduler_type: type } = value;
  if (type === "jq-stage") {
    const { bindings = {}, stepscript = "[.]", postscript = "." } = value;
    return {
      scheduler_type: type,
      bindings,
      stepscript: String(stepscript),
      postscript: String(postscript),
      ...bodyOf(value, report),
    };
  }
  if (type !== "singlestep-stage" && type !== "multistep-stage")
    return report.refuse(
      `has the scheduler type ${JSON.stringify(type)}; it must be singlestep-stage, multistep-stage or jq-stage`,
    );
  checkFields(type, value, report, "a scheduler");
  const common = { parameters: parametersOf(value.parameters, report), ...bodyOf(value, report) };
  if (type === "singlestep-stage") return { scheduler_type: type, ...common };
  const { scatter, batchsize, partitionsize } = value;
  const { method, parameters: keys } = isObject(scatter) ? scatter : {};
  if (isObject(scatter)) checkFields("scatter", scatter, report);
  if ((method !== "zip" && method !== "cartesian") || !Array.isArray(keys) || keys.length === 0)
    return report.refuse("needs a scatter with the method zip or cartesian and a list of parameters");
  if (batchsize !== undefined && partitionsize !== undefined)
    return report.refuse("has both a batchsize and a partitionsize");
  return {
    scheduler_type: type,
    ...common,
    scatter: { method, parameters: keys.map(String) },
    ...sizeOf("batchsize", batchsize, report),
    ...sizeOf("partitionsize", partitionsize, report),
  };
}

function sizeOf(key: string, value: unknown, report: Report): Fields {
  if (value === undefined || value === null || value === 0) return {};
  if (Number.isInteger(value) && Number(value) > 0) return { [key]: value };
  report.refuse(`has the ${key} ${JSON.stringify(value)}; it must be a whole number above 0`);
  return {};
}

/** A map of parameters is Yadage's short form: output selections become expressions. */
function parametersOf(value: unknown, report: Report): Parameter[] {
  if (value === undefined || value === null) return [];
  if (isObject(value)) {
    for (const [key, one] of Object.entries(value))
      checkFields("parameter", { value: one }, report, `a parameter "${key}"`);
    return Object.entries(value).map(([key, one]) => ({ key, value: selectorOf(one) }));
  }
  if (Array.isArray(value) && value.every((one) => isObject(one) && typeof one.key === "string")) {
    for (const one of value as Fields[]) checkFields("parameter", one, report);
    return (value as Parameter[]).map(({ key, value: one }) => ({ key, value: one ?? null }));
  }
  report.refuse("has parameters that are neither a map nor a list of keys and values");
  return [];
}

function selectorOf(value: unknown): unknown {
  const selects = isObject(value) && ["steps", "stages", "step"].some((key) => Object.hasOwn(value, key));
  return selects ? { ...value, expression_type: "stage-output-selector" } : value;
}

function bodyOf(value: Fields, report: Report): Body {
  const { workflow_opts: options, register_values: registered } = value;
  const kinds = ["step", "workflow", "cases"].filter(
    (key) => value[key] !== undefined && value[key] !== null,
  );
  if (kinds.length !== 1) {
    report.refuse(
      kinds.length === 0
        ? "needs a step, a workflow or cases"
        : `has ${kinds.join(" and ")}; it must have one of them`,
    );
  }
  return {
    ...chosenOf(value, report),
    ...(isObject(options) && { workflow_opts: options }),
    ...(Array.isArray(value.cases) && { cases: casesOf(value.cases, report) }),
    ...(isObject(registered) && { register_values: registered }),
  };
}

function casesOf(cases: readonly unknown[], report: Report): Case[] {
  return cases.flatMap(
    (one, index) =>
      report.within(`cases.${index}`, () => {
        if (!isObject(one) || typeof one.if !== "string") return report.refuse('holds a case without "if"');
        checkFields("case", one, report);
        const chosen = chosenOf(one, report);
        if (Object.keys(chosen).length !== 1) report.refuse("holds a case that needs a step or a workflow");
        return { if: one.if, ...chosen };
      }) ?? [],
  );
}

function chosenOf({ step, workflow }: Fields, report: Report): Pick<Body, "step" | "workflow"> {
  if (step !== undefined && step !== null) {
    const made = normalStep(step, report);
    return made === undefined ? {} : { step: made };
  }
  if (workflow === undefined || workflow === null) return {};
  return { workflow: report.within("workflow", () => workflowOf(workflow, report)) };
}
