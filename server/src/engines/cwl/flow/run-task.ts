import type { EngineRun, Evaluate } from "#engines/engine";
import { jobFolder } from "#engines/job-folder";
import { buildJob } from "#engines/cwl/command/build-job";
import { type BoundTool, type ToolContext } from "#engines/cwl/command/tool-context";
import { promisedResources } from "#engines/cwl/command/resources";
import type { Effective } from "#engines/cwl/command/requirements";
import { demandsOf, keyOf, type ProcessPlace } from "#engines/cwl/flow/places";
import type { Leaf } from "#engines/cwl/flow/state";
import { CwlFailure, Evaluator, type Variables } from "#engines/cwl/expressions/evaluator";
import type { LoadListing } from "#engines/cwl/model/bindings";
import type { CwlModel, InputParameter, StepInput, Tool } from "#engines/cwl/model/model";
import { collectOutputs, collectPartialOutputs } from "#engines/cwl/outputs/collect";
import { completeInputs, type Admission } from "#engines/cwl/values/admit";
import { passedMismatch } from "#engines/cwl/values/conform";
import { FactBook, type Needs } from "#engines/cwl/values/facts";
import { isMapping } from "#engines/cwl/model/json";
import { filesFromExpression, present, withoutContents } from "#engines/cwl/values/present";
import type { Job } from "#workflow/job/job";
import type { Retries } from "#workflow/job/retries";
import type { Specification } from "#workflow/specification/specification";

export interface FlowContext {
  readonly model: CwlModel;
  readonly run: EngineRun;
  readonly evaluate: Evaluate;
  /** Retries of tools without retries in their hint. If undefined, such tools are never retried. */
  readonly retries?: Retries | undefined;
  readonly specification: Specification;
  /** True if jobs record their contents to allow reuse by later runs. */
  readonly keepsContents: boolean;
  /** Variables added to the environment of every job. */
  readonly environment: Readonly<Record<string, string>>;
  readonly user?: Job["user"];
}

type Values = Readonly<Record<string, unknown>>;

/** The next move of a task. */
export type Move =
  | { readonly kind: "needs"; readonly needs: Needs }
  | { readonly kind: "skipped" }
  | { readonly kind: "job"; readonly job: Job; readonly bound: BoundTool }
  | { readonly kind: "scope"; readonly inputs: Values }
  | { readonly kind: "done"; readonly outputs: Values };

/** Begins a task with the inputs gathered for its step. Starts over whenever facts arrive. */
export function begin(context: FlowContext, place: ProcessPlace, given: Values, leaf: Leaf): Move {
  const { process, step } = place;
  const facts = new FactBook(leaf.facts);
  const own = ownContext(context, place, leaf);
  let inputs = given;
  if (step) {
    const stepped = stepInputs(context, place, given, facts);
    if (facts.maybeNeeds()) return needsOf(facts);
    if (stepped === "skipped") return { kind: "skipped" };
    inputs = stepped;
  }
  const admitted = completeInputs(
    process.inputs,
    inputs,
    admissionOf(context, place, own, facts),
    place.what,
  );
  if (facts.maybeNeeds()) return needsOf(facts);
  if (process.kind === "workflow") return { kind: "scope", inputs: admitted };
  if (process.kind === "expression") return express(own, process, admitted);
  const { label, node } = place;
  const name = place.step?.name ?? process.name;
  const names = { key: keyOf(place), name, node, ...(label !== undefined && { label }) };
  return { kind: "job", ...buildJob(toolContext(own, process), admitted, names) };
}

function needsOf(facts: FactBook): Move {
  return { kind: "needs", needs: facts.maybeNeeds()! };
}

/** Collects the outputs of a task whose command has ended. After a failure, missing outputs are null. */
export function collectTaskOutputs(context: FlowContext, place: ProcessPlace, leaf: Leaf): Move {
  const facts = new FactBook(leaf.facts);
  const own = ownContext(context, place, leaf);
  const ended = { ...leaf.ended!, bound: leaf.bound! };
  const collect = leaf.failure === undefined ? collectOutputs : collectPartialOutputs;
  const outputs = collect(toolContext(own, place.process as Tool), ended, facts);
  return outputs ? { kind: "done", outputs } : needsOf(facts);
}

interface OwnContext extends Omit<ToolContext, "tool"> {
  readonly effective: Effective;
}

function ownContext(
  { model, run, evaluate, keepsContents, environment, specification, user }: FlowContext,
  place: ProcessPlace,
  { folder, attempt }: Leaf,
): OwnContext {
  const effective = demandsOf(model, place);
  return {
    effective,
    evaluator: evaluatorOf(evaluate, place.process.version, effective, place.what),
    workspaceFolder: run.workspaceFolder,
    folder: folder ?? attemptFolder(jobFolder("cwl", run, foldersOf(place)), attempt),
    keepsContents,
    environment,
    user,
    specification,
    what: place.what,
  };
}

/**
 * The main process is named after its file. Some expressions cut a path at the first dot, so folder names must not
 * contain dots.
 */
function foldersOf({ step, path }: ProcessPlace): readonly string[] {
  return step ? path : path.map((name) => name.replaceAll(".", "_"));
}

/** Returns the folder of an attempt. Each attempt has a fresh folder, with a name that no step has. */
function attemptFolder(folder: string, attempt: number | undefined): string {
  return attempt === undefined ? folder : `${folder}~${attempt}`;
}

function evaluatorOf(
  evaluate: Evaluate,
  version: Tool["version"],
  effective: Effective,
  what: string,
): Evaluator {
  const javascript = effective["InlineJavascriptRequirement"] as { readonly library?: string } | undefined;
  return new Evaluator({ evaluate, version, javascript, what });
}

function toolContext(own: OwnContext, tool: Tool): ToolContext {
  return { ...own, tool };
}

function admissionOf(
  { model }: FlowContext,
  place: ProcessPlace,
  own: OwnContext,
  facts: FactBook,
): Admission {
  const { version } = place.process;
  const listing = own.effective["LoadListingRequirement"]?.["loadListing"] as LoadListing | undefined;
  return {
    facts,
    evaluator: own.evaluator,
    places: { workspaceFolder: own.workspaceFolder, staged: {} },
    isOutermost: place.step === undefined,
    ...(model.jobDocument && { jobDocument: model.jobDocument }),
    refusesLongContents: version === "v1.2",
    defaultListing: listing ?? (version === "v1.0" ? "deep_listing" : "no_listing"),
    formats: model.formats,
  };
}

/** Evaluates a step's modifications of inputs: contents, `valueFrom`, then `when`. */
function stepInputs(
  context: FlowContext,
  place: ProcessPlace,
  given: Values,
  facts: FactBook,
): Values | "skipped" {
  const step = place.step!;
  // Only the requirements of the step and of the workflows around it apply, without the requirements of the process.
  // Escapes in steps follow v1.2 in all versions, as in cwltool.
  const effective = demandsOf(context.model, {
    ...place,
    process: { requirements: [], hints: [] } as unknown as Tool,
  });
  const evaluator = evaluatorOf(context.evaluate, "v1.2", effective, place.what);
  const places = { workspaceFolder: context.run.workspaceFolder, staged: {} };
  const loaded = Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const input = step.inputs.find((one) => one.name === name);
      return [name, input ? withLoads(context, place, input, value, facts, evaluator) : value];
    }),
  );
  if (facts.maybeNeeds()) return given;
  const seen = present(loaded, places) as Variables["inputs"];
  const evaluated = step.inputs.map(({ name, valueFrom }) => {
    if (valueFrom === undefined) return [name, loaded[name]] as const;
    const variables = { inputs: seen, self: seen[name] ?? null };
    const value = evaluator.value(valueFrom, variables, { field: `its input \`${name}\`` });
    return [name, filesFromExpression(value, places)] as const;
  });
  const inputs = { ...loaded, ...Object.fromEntries(evaluated) };
  if (step.when !== undefined) {
    const variables = { inputs: present(inputs, places) as Variables["inputs"] };
    const isWanted = evaluator.value(step.when, variables, { field: "`when`" });
    if (isWanted === false) return "skipped";
    if (isWanted !== true)
      throw new CwlFailure(`${place.what}: \`when\` is ${JSON.stringify(isWanted)}, not true or false.`);
  }
  return withoutContents(inputs) as Values;
}

function withLoads(
  { model, run }: FlowContext,
  place: ProcessPlace,
  input: StepInput,
  value: unknown,
  facts: FactBook,
  evaluator: Evaluator,
): unknown {
  if (!input.loadContents && input.loadListing === undefined) return value;
  const admission: Admission = {
    facts,
    evaluator,
    places: { workspaceFolder: run.workspaceFolder, staged: {} },
    isOutermost: false,
    refusesLongContents: place.stepVersion === "v1.2",
    defaultListing: "no_listing",
    formats: model.formats,
  };
  const { name, loadContents, loadListing } = input;
  const parameter: InputParameter = {
    name,
    type: { kind: "union", of: ["null", { kind: "array", items: "Any" }, "Any"] },
    secondaryFiles: [],
    format: [],
    loadContents,
    ...(loadListing && { loadListing }),
  };
  return completeInputs([parameter], { [name]: value }, admission, place.what)[name];
}

function express(
  own: OwnContext,
  process: Extract<ProcessPlace["process"], { kind: "expression" }>,
  inputs: Values,
): Move {
  const places = { workspaceFolder: own.workspaceFolder, staged: {} };
  const seen = present(inputs, places) as Values;
  const promised = promisedResources(own.effective, own.evaluator, { inputs: seen });
  const variables = { inputs: seen, runtime: { outdir: "", tmpdir: "", ...promised } };
  const value = filesFromExpression(
    own.evaluator.value(process.expression, variables, { field: "`expression`" }),
    places,
  );
  if (!isMapping(value))
    throw new CwlFailure(
      `${own.what}: its expression gives ${JSON.stringify(value)?.slice(0, 80)}, not an object with its outputs.`,
    );
  const outputs = Object.fromEntries(process.outputs.map(({ name }) => [name, value[name] ?? null]));
  for (const { name, type } of process.outputs) {
    const reason = passedMismatch(outputs[name], type);
    if (reason !== undefined) throw new CwlFailure(`${own.what}: the output \`${name}\` ${reason}.`);
  }
  return { kind: "done", outputs: withoutContents(outputs) as Values };
}
