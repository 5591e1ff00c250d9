import { fields } from "#engines/cwl/model/fields";
import { type Reader, type Scope, shortName, jsonExcerpt } from "#engines/cwl/documents/reader";
import { type Spot } from "#engines/cwl/documents/document-set";
import type { Argument, CwlVersion, Process, Tool } from "#engines/cwl/model/model";
import { bindingFrom } from "#engines/cwl/load/read-bindings";
import { readInputs, readOutputs } from "#engines/cwl/load/read-parameters";
import { readRequirements, registerSchemaTypes } from "#engines/cwl/load/read-requirements";
import { type ReadRun, readSteps } from "#engines/cwl/load/read-workflow";
import { isMapping, type Mapping } from "#engines/cwl/model/json";
import { nearestWord } from "#plumbing/text/nearest-word";

const COMMON = fields({
  "v1.0": "id class label doc cwlVersion inputs outputs requirements hints",
  "v1.2": "intent",
});
const FIELDS = {
  CommandLineTool: {
    ...COMMON,
    ...fields({
      "v1.0": "baseCommand arguments stdin stdout stderr successCodes temporaryFailCodes permanentFailCodes",
    }),
  },
  ExpressionTool: { ...COMMON, ...fields({ "v1.0": "expression" }) },
  Workflow: { ...COMMON, ...fields({ "v1.0": "steps" }) },
  Operation: COMMON,
} as const;

/** Reads a process. The allowed fields depend on the class. */
export function readProcess(
  reader: Reader,
  outer: Omit<Scope, "version"> & { readonly version: CwlVersion },
  mapping: Mapping,
  name: string,
  readRun: ReadRun,
): Process | undefined {
  const kind = mapping["class"];
  if (typeof kind !== "string" || !Object.hasOwn(FIELDS, kind)) {
    const nearest = typeof kind === "string" ? nearestWord(kind, Object.keys(FIELDS)) : undefined;
    const hint = nearest === undefined ? "" : `; did you mean \`${nearest}\`?`;
    const what =
      kind === undefined
        ? "This is no process: it has no `class`"
        : `The class ${jsonExcerpt(kind)} is not known${hint}`;
    reader.refuse(mapping, "class", what);
    return undefined;
  }
  const scope: Scope = { ...outer, types: new Map(outer.types) };
  registerSchemaTypes(scope, mapping);
  const what = `${kind} \`${name}\``;
  reader.checkFields(mapping, FIELDS[kind as keyof typeof FIELDS], scope.version, what);
  const doc = reader.maybeDoc(mapping, what);
  for (const field of ["inputs", "outputs"]) checkPresence(reader, mapping, field, what);
  const common = {
    name,
    ...(doc !== undefined && { doc }),
    version: scope.version,
    inputs: readInputs(reader, scope, mapping, what),
    requirements: readRequirements(reader, scope, mapping, "requirements", what),
    hints: readRequirements(reader, scope, mapping, "hints", what),
  };
  switch (kind) {
    case "CommandLineTool":
      return { kind: "tool", ...common, ...readTool(reader, scope, mapping, what) };
    case "ExpressionTool":
      return {
        kind: "expression",
        ...common,
        outputs: readOutputs(reader, scope, mapping, what),
        expression:
          reader.maybeText(mapping, "expression", what) ??
          missing(reader, mapping, `${what} has no field \`expression\`.`),
      };
    case "Workflow": {
      if (mapping["steps"] === undefined) missing(reader, mapping, `${what} has no field \`steps\`.`);
      const inputs = common.inputs.map((input) => input.name);
      return { kind: "workflow", ...common, ...readSteps(reader, scope, mapping, inputs, readRun) };
    }
    default:
      reader.checkVersion(mapping, "class", "v1.2", scope.version, `The class \`${kind}\``);
      missing(
        reader,
        mapping,
        `Unsupported: ${what} cannot be run: an Operation says only what a step would take and give.`,
      );
      return undefined;
  }
}

function checkPresence(reader: Reader, mapping: Mapping, field: string, what: string): void {
  if (mapping[field] === undefined) reader.refuse(mapping, "class", `${what} has no field \`${field}\`.`);
  else if (mapping[field] === null)
    reader.refuse(
      mapping,
      field,
      `${what}: \`${field}\` is empty. Write \`${field}: []\` if there are none.`,
    );
}

function missing(reader: Reader, mapping: Mapping, sentence: string): string {
  reader.refuse(mapping, "class", sentence);
  return "";
}

type ToolParts = Omit<Tool, "kind" | "name" | "version" | "inputs" | "requirements" | "hints">;

function readTool(reader: Reader, scope: Scope, mapping: Mapping, what: string): ToolParts {
  const outputs = readOutputs(reader, scope, mapping, what);
  const stdin = reader.maybeText(mapping, "stdin", what) ?? stdinOf(mapping);
  const streams = {
    stdout: reader.maybeText(mapping, "stdout", what),
    stderr: reader.maybeText(mapping, "stderr", what),
  };
  const withGlobs = outputs.map((output) => {
    const stream = streamOf(mapping, output.name);
    if (!stream) return output;
    streams[stream] ??= `cwl.${stream}.${output.name}`;
    return { ...output, binding: { glob: [streams[stream]], loadContents: false } };
  });
  return {
    outputs: withGlobs,
    baseCommand: reader.texts(mapping, "baseCommand", what),
    arguments: readArguments(reader, scope, mapping, what),
    ...(stdin !== undefined && { stdin }),
    ...(streams.stdout !== undefined && { stdout: streams.stdout }),
    ...(streams.stderr !== undefined && { stderr: streams.stderr }),
    successCodes: reader.numbers(mapping, "successCodes", what),
    temporaryFailCodes: reader.numbers(mapping, "temporaryFailCodes", what),
    permanentFailCodes: reader.numbers(mapping, "permanentFailCodes", what),
  };
}

/** Returns whether an output has the type `stdout` or `stderr`, a shorthand for the file of the redirected stream. */
function streamOf(mapping: Mapping, name: string): "stdout" | "stderr" | undefined {
  const type = parameterType(mapping["outputs"], name);
  return type === "stdout" || type === "stderr" ? type : undefined;
}

/** An input of the type `stdin` is a file read by the command as standard input. */
function stdinOf(mapping: Mapping): string | undefined {
  const { inputs } = mapping;
  const names = Array.isArray(inputs)
    ? inputs.filter(isMapping).map((one) => shortName(String(one["id"])))
    : Object.keys(isMapping(inputs) ? inputs : {}).map(shortName);
  const name = names.find((one) => parameterType(inputs, one) === "stdin");
  return name === undefined ? undefined : `$(inputs[${JSON.stringify(name)}].path)`;
}

function parameterType(parameters: unknown, name: string): unknown {
  if (Array.isArray(parameters)) {
    const found: unknown = parameters.find((one) => isMapping(one) && shortName(String(one["id"])) === name);
    return isMapping(found) ? found["type"] : undefined;
  }
  if (!isMapping(parameters)) return undefined;
  const key = Object.keys(parameters).find((one) => shortName(one) === name);
  const value = key === undefined ? undefined : parameters[key];
  return isMapping(value) ? value["type"] : value;
}

function readArguments(reader: Reader, scope: Scope, mapping: Mapping, what: string): Argument[] {
  const value = mapping["arguments"];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    reader.refuse(mapping, "arguments", `${what}: \`arguments\` is ${jsonExcerpt(value)}, not a list.`);
    return [];
  }
  return value.flatMap((item: unknown, key): Argument[] => {
    if (typeof item === "string") return [item];
    if (isMapping(item)) return [bindingFrom(reader, scope, item, `${what}, \`arguments\``)];
    const at: Spot = { parent: value, key };
    reader.refuse(
      at.parent,
      at.key,
      `${what}: an argument is ${jsonExcerpt(item)}, not a text or a mapping.`,
    );
    return [];
  });
}
