import { Refusal } from "#plumbing/errors";
import { findJsonProblem } from "#plumbing/formats/json";
import type { BackendCapabilities } from "#workflow/capabilities";
import { isLanguage, LANGUAGES, type Language } from "#workflow/language";
import { findRepeatedPaths, inputPathsOf, unsafePath } from "#workflow/specification/input-paths";
import { badDestination } from "#workflow/specification/output-destination";
import { badRemoteInputs } from "#workflow/specification/remote-inputs";
import { findOptionWarnings, findRetentionWarnings } from "#workflow/specification/option-warnings";
import { shownValue } from "#workflow/specification/shown-value";
import { reanaShape } from "#workflow/specification/reana-shape";
import {
  findDangerousCommands,
  findParameterWarnings,
  type SerialStep,
} from "#workflow/specification/serial-warnings";
import { findUnknownBackends } from "#workflow/specification/compute-backends";
import { findClusterWarnings } from "#workflow/specification/cluster-warnings";
import { findSnakemakeWarnings } from "#workflow/specification/snakemake-warnings";
import { findDangerousTools } from "#workflow/specification/step-parameters";
import { findUnmetDemands } from "#workflow/specification/unmet-demands";
import { findYadageWarnings } from "#workflow/specification/yadage-warnings";
import { type Faults, findShapeFaults, isObject } from "#workflow/specification/shape";
import {
  isWishOfReana,
  MORE_WISHES,
  NO_INPUTS,
  type Specification,
  type SpecificationWarning,
  withoutWishesOfReana,
} from "#workflow/specification/specification";

/**
 * A document from which a workflow can be created, in its given form (with `workflow.spec` renamed to
 * `workflow.specification`). Only the `workflow` part of the `Specification` type is guaranteed. A field that
 * REANA's schema would refuse, but that no workflow needs, is kept unchanged and causes a warning. Code that
 * reads such a field must check its type.
 */
export interface CheckedSpecification {
  readonly specification: Specification;
  readonly warnings: readonly SpecificationWarning[];
}

export interface CheckOptions {
  /** If given, a step that requests any other compute backend gets a warning. */
  readonly backends?: readonly BackendCapabilities[];
  /** If given, a workspace that is requested anywhere else gets a warning. */
  readonly workspaceRoots?: readonly string[];
  /** If given, a refusal names the place in the text too. */
  placeOf?(path: string): string;
}

const MAX_WARNINGS = 100;
const MAX_MESSAGE_LENGTH = 500;

export function checkSpecification(document: unknown, options: CheckOptions = {}): CheckedSpecification {
  try {
    const specification = checkShape(document);
    return { specification, warnings: warningsOf(specification, options) };
  } catch (error) {
    if (!(error instanceof MalformedSpecification) || !options.placeOf || error.path === "") throw error;
    const { code, path, reason } = error;
    throw new MalformedSpecification(code, path, reason, options.placeOf(path));
  }
}

function checkShape(document: unknown): Specification {
  const problem = findJsonProblem(document);
  if (problem !== undefined) throw new Refusal("malformed", `Specification ${problem}.`);
  if (!isObject(document)) refuse("", `${shownValue(document)} is not of type 'object'`);
  if (!Object.hasOwn(document, "workflow")) refuse("", "'workflow' is a required property");
  const workflow = document.workflow;
  if (!isObject(workflow)) refuse("workflow", `${shownValue(workflow)} is not of type 'object'`);
  const type = checkType(workflow);
  const renamed = takeSpec(document, workflow);
  checkDefinition(renamed.workflow, type);
  checkInputPaths(renamed.inputs);
  const bad = badRemoteInputs(renamed.inputs)[0] ?? badDestination(renamed.outputs);
  if (bad) refuse(bad.at, bad.reason, "input_address");
  return renamed;
}

/** Returns the warnings of a specification that has already been checked. */
export function warningsOf(specification: Specification, options: CheckOptions): SpecificationWarning[] {
  return firstOf(findWarnings(specification, options), MAX_WARNINGS);
}

function checkType(workflow: Record<string, unknown>): Language {
  if (!Object.hasOwn(workflow, "type")) refuse("workflow", "'type' is a required property");
  if (isLanguage(workflow.type)) return workflow.type;
  return refuse("workflow.type", `${shownValue(workflow.type)} is not one of ${shownValue(LANGUAGES)}`);
}

/**
 * Renames `workflow.spec`, the name that old clients use for `workflow.specification`. Does not change the input
 * document.
 */
function takeSpec(document: Record<string, unknown>, workflow: Record<string, unknown>): Specification {
  if (!Object.hasOwn(workflow, "spec") || Object.hasOwn(workflow, "specification"))
    return document as Specification;
  const { spec, ...others } = workflow;
  return { ...document, workflow: { ...others, specification: spec } } as Specification;
}

function checkDefinition(workflow: Specification["workflow"], type: Language): void {
  const hasFile =
    Object.hasOwn(workflow, "file") && typeof workflow.file === "string" && workflow.file !== "";
  if (!Object.hasOwn(workflow, "specification")) {
    if (hasFile) return;
    if (Object.hasOwn(workflow, "file") && typeof workflow.file !== "string") {
      refuse("workflow.file", `${shownValue(workflow.file)} is not of type 'string'`);
    }
    refuse(
      "workflow",
      type === "serial" ? "'specification' is a required property" : "'file' is a required property",
    );
  }
  const { specification } = workflow;
  if (type === "serial") checkSerial(specification);
  else if (!hasFile && !isObject(specification)) {
    refuse("workflow.specification", `${shownValue(specification)} is not of type 'object'`);
  }
}

function checkSerial(specification: unknown): void {
  const path = "workflow.specification";
  if (!isObject(specification)) refuse(path, `${shownValue(specification)} is not of type 'object'`);
  if (!Object.hasOwn(specification, "steps")) refuse(path, "'steps' is a required property");
  const { steps } = specification;
  if (!Array.isArray(steps)) refuse(`${path}.steps`, `${shownValue(steps)} is not of type 'array'`);
  for (const [index, step] of steps.entries()) checkStep(step, `${path}.steps.${index}`);
}

function checkStep(step: unknown, path: string): void {
  if (!isObject(step)) refuse(path, `${shownValue(step)} is not of type 'object'`);
  if (!Object.hasOwn(step, "commands")) refuse(path, "'commands' is a required property");
  const { commands } = step;
  if (!Array.isArray(commands)) refuse(`${path}.commands`, `${shownValue(commands)} is not of type 'array'`);
  if (commands.length === 0) refuse(`${path}.commands`, "[] is too short");
  const wrong = commands.findIndex((command) => typeof command !== "string");
  if (wrong === -1) return;
  refuse(`${path}.commands.${wrong}`, `${shownValue(commands[wrong])} is not of type 'string'`);
}

function checkInputPaths(inputs: unknown): void {
  for (const { at, text } of inputPathsOf(inputs)) {
    const reason = unsafePath(text);
    if (reason !== undefined) refuse(at, reason, "input_path");
  }
}

function* findWarnings(specification: Specification, options: CheckOptions): Faults {
  const { workflow, inputs } = specification;
  yield* findShapeFaults(specification, reanaShape(workflow.type === "serial"), "");
  yield* findRepeatedPaths(inputs);
  yield* findOptionWarnings(inputs, workflow.type);
  yield* findRetentionWarnings(specification.workspace);
  if (!Object.hasOwn(specification, "inputs")) {
    yield { code: "parameters", path: "", message: NO_INPUTS };
  }
  yield* findUnmetDemands(specification, options.backends);
  yield* findClusterWarnings(specification, options);
  yield* findLanguageWarnings(specification);
  if (options.backends) yield* findUnknownBackends(specification, options.backends);
}

/**
 * Finds warnings by language. Except for serial, the client may have parsed the files: the parsed form is
 * only inspected.
 */
function findLanguageWarnings(specification: Specification): Faults {
  const { workflow, inputs } = specification;
  switch (workflow.type) {
    case "serial":
      return findSerialWarnings(specification);
    case "yadage":
      return findYadageWarnings(workflow.specification, inputs);
    case "snakemake":
      return findSnakemakeWarnings(workflow.specification);
    default:
      return findDangerousTools(workflow.specification);
  }
}

function* findSerialWarnings({ workflow, inputs }: Specification): Faults {
  if (!Object.hasOwn(workflow, "specification")) {
    const message = "A serial workflow is read from workflow.specification alone; workflow.file is ignored.";
    yield { code: "schema", path: "workflow", message };
    return;
  }
  const { steps } = workflow.specification as { readonly steps: readonly SerialStep[] };
  const parameters = isObject(inputs) && isObject(inputs.parameters) ? Object.keys(inputs.parameters) : [];
  yield* findParameterWarnings(steps, new Set(parameters));
  yield* findDangerousCommands(steps);
}

/**
 * Returns the first warnings, one line each. If there are more, the last entry reports the truncation. The wishes of
 * REANA are left out first.
 */
function firstOf(faults: Faults, max: number): SpecificationWarning[] {
  const found = keptOf(faults, max);
  if (found.length <= max) return found;
  const others = withoutWishesOfReana(found);
  if (others.length >= max) {
    const message = `More than ${max} warnings were found; the others are left out.`;
    return [...others.slice(0, max - 1), { code: "report_truncated", path: "", message }];
  }
  const wishes = found.filter(isWishOfReana).slice(0, max - 1 - others.length);
  const shown = new Set([...others, ...wishes]);
  return [
    ...found.filter((one) => shown.has(one)),
    { code: "report_truncated", path: "", message: MORE_WISHES },
  ];
}

/** Keeps one more warning than `max` of each kind. */
function keptOf(faults: Faults, max: number): SpecificationWarning[] {
  const found: SpecificationWarning[] = [];
  const room = { wishes: max + 1, others: max + 1 };
  for (const fault of faults) {
    const kind = isWishOfReana(fault) ? "wishes" : "others";
    if (room[kind] === 0) continue;
    room[kind] -= 1;
    found.push({ ...fault, message: oneLine(fault.message) });
  }
  return found;
}

function oneLine(message: string): string {
  return message.split(/[\r\n]/, 1)[0]!.slice(0, MAX_MESSAGE_LENGTH);
}

function refuse(path: string, reason: string, code = "schema"): never {
  throw new MalformedSpecification(code, path, oneLine(reason));
}

/** Thrown if no workflow can be created from the document, with the place and the reason. */
export class MalformedSpecification extends Refusal {
  readonly code: string;
  readonly path: string;
  readonly reason: string;

  /** `place` is the place of the path in the text, if the text is known. */
  constructor(code: string, path: string, reason: string, place?: string) {
    const where = (path === "" ? "" : ` at ${path}`) + (place === undefined ? "" : ` (${place})`);
    super("malformed", `The specification is malformed${where}: ${reason}`, {
      errorCode: "specification-invalid",
    });
    this.code = code;
    this.path = path;
    this.reason = reason;
  }
}
