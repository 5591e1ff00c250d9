import { fields } from "#engines/cwl/model/fields";
import {
  type Entry,
  expandPrefix,
  isExpression,
  type Reader,
  type Scope,
  shortName,
  jsonExcerpt,
  spotIn,
} from "#engines/cwl/documents/reader";
import type {
  Sink,
  Source,
  StepInput,
  Workflow,
  WorkflowOutput,
  WorkflowStep,
} from "#engines/cwl/model/model";
import { readRequirements } from "#engines/cwl/load/read-requirements";
import { readType } from "#engines/cwl/load/read-types";
import { readFileValues } from "#engines/cwl/load/read-values";
import { asList, isMapping, type Mapping } from "#engines/cwl/model/json";
import { nearestWord } from "#plumbing/text/nearest-word";

const STEP_FIELDS = fields({
  "v1.0": "id in out run requirements hints label doc scatter scatterMethod",
  "v1.2": "when",
});
const STEP_INPUT_FIELDS = fields({
  "v1.0": "id source linkMerge default valueFrom",
  "v1.1": "loadContents loadListing label",
  "v1.2": "pickValue",
});
const OUTPUT_FIELDS = fields({
  "v1.0": "id type label doc outputSource linkMerge secondaryFiles format streamable",
  "v1.2": "pickValue",
});
/** In v1.0, outputs of workflows have an unused binding. */
const FIRST_OUTPUT_FIELDS = { ...OUTPUT_FIELDS, ...fields({ "v1.0": "outputBinding" }) };
const SCATTER_METHODS = ["dotproduct", "nested_crossproduct", "flat_crossproduct"] as const;
const LINK_MERGES = ["merge_nested", "merge_flattened"] as const;
const PICK_VALUES = ["first_non_null", "the_only_non_null", "all_non_null"] as const;
const LISTINGS = ["no_listing", "shallow_listing", "deep_listing"] as const;

/** Reads the process of a step, and returns its number. */
export type ReadRun = (parent: Mapping, scope: Scope) => number;

/** Names allowed as sources in a workflow. */
interface Known {
  readonly inputs: ReadonlySet<string>;
  readonly outputs: ReadonlySet<string>;
}

export function readSteps(
  reader: Reader,
  scope: Scope,
  workflow: Mapping,
  inputs: readonly string[],
  readRun: ReadRun,
): Pick<Workflow, "steps" | "outputs"> {
  const what = "The workflow";
  const entries = reader.entries(workflow, "steps", "id", undefined, what);
  const known: Known = {
    inputs: new Set(inputs),
    outputs: new Set(
      entries.flatMap((entry) => outNames(entry).map((out) => `${shortName(entry.name)}/${out}`)),
    ),
  };
  return {
    steps: entries.map((entry) => readStep(reader, scope, entry, known, readRun)),
    outputs: readOutputs(reader, scope, workflow, known),
  };
}

function outNames({ mapping }: Entry): string[] {
  return asList(mapping["out"]).map((out) => shortName(String(isMapping(out) ? out["id"] : out)));
}

function readStep(reader: Reader, scope: Scope, entry: Entry, known: Known, readRun: ReadRun): WorkflowStep {
  const { mapping } = entry;
  const name = shortName(entry.name);
  const what = `Step \`${name}\``;
  reader.checkFields(mapping, STEP_FIELDS, scope.version, what);
  for (const field of ["in", "out", "run"])
    if (mapping[field] === undefined)
      reader.refuse(entry.at.parent, entry.at.key, `${what} has no field \`${field}\`.`);
  const inputs = readStepInputs(reader, scope, mapping, known, what);
  const scatter = reader.texts(mapping, "scatter", what).map(shortName);
  for (const one of scatter)
    if (!inputs.some((input) => input.name === one))
      reader.refuse(mapping, "scatter", `${what} scatters over \`${one}\`, which is no input of it.`);
  const scatterMethod = reader.maybeWord(mapping, "scatterMethod", SCATTER_METHODS, what);
  if (scatter.length > 1 && scatterMethod === undefined)
    reader.refuse(
      mapping,
      "scatter",
      `${what} scatters over ${scatter.length} inputs, and names no \`scatterMethod\`.`,
    );
  const when = reader.maybeText(mapping, "when", what);
  const requirements = readRequirements(reader, scope, mapping, "requirements", what);
  const step: WorkflowStep = {
    name,
    run: mapping["run"] === undefined ? 0 : readRun(mapping, scope),
    inputs,
    outputs: outNames(entry),
    requirements,
    hints: readRequirements(reader, scope, mapping, "hints", what),
    scatter,
    scatterMethod: scatterMethod ?? "dotproduct",
    ...(when !== undefined && { when }),
  };
  reader.placed(scatter, spotIn(entry, "scatter"));
  return reader.placed(step, spotIn(entry, "run"));
}

function readStepInputs(
  reader: Reader,
  scope: Scope,
  step: Mapping,
  known: Known,
  what: string,
): StepInput[] {
  return reader.entries(step, "in", "id", "source", what).map((entry) => {
    const { name, mapping } = entry;
    const where = `${what}, input \`${shortName(name)}\``;
    reader.checkFields(mapping, STEP_INPUT_FIELDS, scope.version, where);
    const valueFrom = reader.maybeText(mapping, "valueFrom", where);
    const loadListing = reader.maybeWord(mapping, "loadListing", LISTINGS, where);
    const input: StepInput = {
      name: shortName(name),
      ...readSink(reader, mapping, "source", known, where),
      loadContents: reader.flag(mapping, "loadContents", where),
      ...(loadListing && { loadListing }),
      ...(valueFrom !== undefined && { valueFrom }),
      ...(mapping["default"] !== undefined && {
        default: readFileValues(reader, mapping["default"], { parent: mapping, key: "default" }),
      }),
    };
    return reader.placed(input, spotIn(entry, "source"));
  });
}

function readOutputs(reader: Reader, scope: Scope, workflow: Mapping, known: Known): WorkflowOutput[] {
  return reader.entries(workflow, "outputs", "id", "type", "The workflow").map((entry) => {
    const { name, mapping, at } = entry;
    const where = `The workflow's output \`${shortName(name)}\``;
    const allowed = scope.version === "v1.0" ? FIRST_OUTPUT_FIELDS : OUTPUT_FIELDS;
    reader.checkFields(mapping, allowed, scope.version, where);
    if (mapping["type"] === undefined) reader.refuse(at.parent, at.key, `${where} has no type.`);
    const output: WorkflowOutput = {
      name: shortName(name),
      type: readType(reader, scope, mapping["type"] ?? "Any", { parent: mapping, key: "type" }),
      ...readSink(reader, mapping, "outputSource", known, where),
      format: reader
        .texts(mapping, "format", where)
        .map((one) => (isExpression(one) ? one : expandPrefix(one, scope))),
    };
    return reader.placed(output, spotIn(entry, "outputSource"));
  });
}

function readSink(reader: Reader, mapping: Mapping, key: string, known: Known, what: string): Sink {
  const linkMerge = reader.maybeWord(mapping, "linkMerge", LINK_MERGES, what);
  const pickValue = reader.maybeWord(mapping, "pickValue", PICK_VALUES, what);
  return {
    sources: reader
      .texts(mapping, key, what)
      .flatMap((text) => readSource(reader, mapping, key, text, known, what)),
    isList: Array.isArray(mapping[key]),
    linkMerge: linkMerge ?? "merge_nested",
    hasLinkMerge: linkMerge !== undefined,
    ...(pickValue && { pickValue }),
  };
}

/** Finds the input or output named by a source. Packed documents add the id of the workflow: `#main/align/bam`. */
function readSource(
  reader: Reader,
  mapping: Mapping,
  key: string,
  text: string,
  known: Known,
  what: string,
): Source[] {
  const parts = text.slice(text.lastIndexOf("#") + 1).split("/");
  for (let from = 0; from < parts.length; from += 1) {
    const rest = parts.slice(from).join("/");
    if (known.outputs.has(rest)) return [parts.slice(from) as unknown as Source];
    if (known.inputs.has(rest)) return [[rest]];
  }
  const nearest = nearestWord(parts.slice(-2).join("/"), [...known.inputs, ...known.outputs]);
  const hint = nearest === undefined ? "" : `; did you mean \`${nearest}\`?`;
  reader.refuse(
    mapping,
    key,
    `${what}: its source ${jsonExcerpt(text)} is no input of the workflow and no output of a step${hint}`,
  );
  return [];
}
