import type { Documents, NeededDocument, Preparation } from "#engines/documents";
import type { RunRequest } from "#engines/engine";
import type { Problem } from "#engines/problem";
import { inlineFile, inlineReferences } from "#engines/yadage/load/inline";
import { Library } from "#engines/yadage/load/library";
import { normalWorkflow } from "#engines/yadage/load/normalise";
import { unannouncedStuck } from "#engines/yadage/load/stuck";
import { unannouncedUnfilled } from "#engines/yadage/load/unfilled";
import { baseOf, folderOption } from "#engines/yadage/load/toplevel";
import { gpusIn } from "#engines/yadage/named-gpus";
import type { Model, Workflow } from "#engines/yadage/model";
import { isWithinStage, stagePaths } from "#engines/yadage/stages/from-stage";
import { sharedResourceProblems } from "#engines/yadage/steps/resources";
import { pythonStr } from "#plumbing/formats/python-text";
import { isObject } from "#workflow/specification/shape";

/** Maximum number of stages in a sentence. */
const SHOWN_MAX = 20;

/**
 * Makes the model of a Yadage workflow. The specification holds the workflow as loaded by REANA's client, or names a
 * file, which is read together with all referenced files. A given `toplevel` always means the files.
 */
export function prepareYadage(request: RunRequest, documents: Documents): Preparation {
  const { specification } = request;
  const options = { ...objectOr(specification.inputs?.options), ...request.options };
  const library = new Library(documents);
  const initdata = initdataOf(request, options, library);
  const workflow = workflowOf(request, options, library);
  if (library.problems.length > 0) return { kind: "refused", problems: library.problems };
  if (library.needed.length > 0) return { kind: "needs", documents: withoutDoubles(library.needed) };
  const file = fileOf(request);
  const made = normalWorkflow(workflow, {
    path: "workflow.specification",
    placeOf: (part, key) => library.placeOf(part, file, key),
  });
  const initdir = folderOption(options["initdir"]);
  const problems = [
    ...made.problems,
    ...undeclared(request, initdata),
    ...(initdir.ok ? [] : [initdir.problem]),
    ...sharedResourceProblems(request.specification),
    ...unknownStart(request, made.workflow),
  ];
  if (problems.length > 0 || !initdir.ok) return { kind: "refused", problems };
  const isEmpty = Object.keys(initdata).length === 0;
  const model: Model = {
    workflow: made.workflow,
    initdata: isEmpty ? null : initdata,
    initdir: initdir.folder,
  };
  const gpus = gpusIn(made.workflow);
  const ready = { kind: "ready", model: withWarnings(request, model, library.warnings()) } as const;
  return gpus.length > 0 ? { ...ready, gpus } : ready;
}

function withWarnings({ specification }: RunRequest, model: Model, ofTexts: readonly string[]): Model {
  const stuck = unannouncedStuck(specification, model).map(
    ({ name, reason }) =>
      `Stage "${name}" never becomes applicable: ${reason}. The run would finish without it.`,
  );
  const warnings = [...ofTexts, ...stuck, ...unannouncedUnfilled(specification, model)];
  if (warnings.length === 0) return model;
  return { ...model, warnings, ...(ofTexts.length > 0 && { textWarnings: ofTexts }) };
}

function workflowOf(
  { specification }: RunRequest,
  options: Readonly<Record<string, unknown>>,
  library: Library,
): unknown {
  const { specification: stored, file } = specification.workflow;
  const base = baseOf(options["toplevel"]);
  if (!base.ok) {
    library.problems.push(base.problem);
    return undefined;
  }
  const isStored = isObject(stored) && Object.hasOwn(stored, "stages");
  if (isStored && options["toplevel"] === undefined) return inlineReferences(stored, base.base, library);
  if (typeof file === "string" && file !== "") return inlineFile(file, base.base, library);
  return isStored ? inlineReferences(stored, base.base, library) : stored;
}

function fileOf({ specification }: RunRequest): string | null {
  const { file } = specification.workflow;
  return typeof file === "string" && file !== "" ? file : null;
}

/** Merges the parameters: files of the option `initfiles`, the specification, and parameters of the start. */
function initdataOf(
  { specification, parameters }: RunRequest,
  options: Readonly<Record<string, unknown>>,
  library: Library,
): Record<string, unknown> {
  const wanted = options["initfiles"] ?? [];
  const files = Array.isArray(wanted) ? (wanted as unknown[]) : pythonStr(wanted).split(",");
  const fromFiles = files.map((file) => {
    const named = { path: "inputs.options.initfiles" };
    const { length: before } = library.problems;
    const document = library.document(pythonStr(file).trim(), null, () => named);
    if (document === undefined || library.problems.length > before) return {};
    if (isObject(document.value)) return document.value;
    library.problems.push({ ...named, message: `${document.location} holds no map of parameters.` });
    return {};
  });
  return Object.assign({}, ...fromFiles, objectOr(specification.inputs?.parameters), parameters) as Record<
    string,
    unknown
  >;
}

function* undeclared(
  { specification, parameters, options }: RunRequest,
  initdata: object,
): Generator<Problem> {
  if (options["initfiles"] !== undefined || specification.inputs?.options?.["initfiles"] !== undefined)
    return;
  const declared = objectOr(specification.inputs?.parameters);
  for (const name of Object.keys(parameters)) {
    if (Object.hasOwn(declared, name) || !Object.hasOwn(initdata, name)) continue;
    yield { path: `parameters.${name}`, message: `Input parameter "${name}" is not present in reana.yaml` };
  }
}

/** Refuses a restart from a stage that the workflow does not have. */
function* unknownStart({ restart }: RunRequest, workflow: Workflow): Generator<Problem> {
  const wanted = restart?.fromStep ?? null;
  const paths = stagePaths(workflow);
  if (wanted === null || paths.some((path) => isWithinStage(path, wanted))) return;
  const known = paths.map((path) => path.join("/")).slice(0, SHOWN_MAX);
  const message = `There is no stage "${wanted}" to start from (the stages: ${known.join(", ")}).`;
  yield { path: "from_step", message };
}

function objectOr(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function withoutDoubles(needed: readonly NeededDocument[]): NeededDocument[] {
  return [...new Map(needed.map((one) => [one.location, one])).values()];
}
