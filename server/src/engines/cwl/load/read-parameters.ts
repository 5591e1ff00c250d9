import { fields } from "#engines/cwl/model/fields";
import { type Reader, type Scope, shortName } from "#engines/cwl/documents/reader";
import type { InputParameter, ToolOutput } from "#engines/cwl/model/model";
import {
  checkWorkflowBinding,
  LISTINGS,
  readBinding,
  readFileRules,
  readOutputBinding,
} from "#engines/cwl/load/read-bindings";
import { readFileValues } from "#engines/cwl/load/read-values";
import { readType } from "#engines/cwl/load/read-types";
import { isMapping, type Mapping } from "#engines/cwl/model/json";

const INPUT_FIELDS = fields({
  "v1.0": "id type label doc default inputBinding secondaryFiles format streamable name",
  "v1.1": "loadContents loadListing",
});

export function readInputs(reader: Reader, scope: Scope, process: Mapping, what: string): InputParameter[] {
  return reader.entries(process, "inputs", "id", "type", what).map(({ name, mapping, at }) => {
    const where = `${what}, input \`${shortName(name)}\``;
    reader.checkFields(mapping, INPUT_FIELDS, scope.version, where);
    if (mapping["type"] === undefined) reader.refuse(at.parent, at.key, `${where} has no type.`);
    if (process["class"] !== "CommandLineTool") checkWorkflowBinding(reader, scope, mapping, where);
    const binding = readBinding(reader, scope, mapping, where);
    const loadListing = reader.maybeWord(mapping, "loadListing", LISTINGS, where);
    const doc = reader.maybeDoc(mapping, where);
    const isStdin = mapping["type"] === "stdin";
    if (isStdin) reader.checkVersion(mapping, "type", "v1.1", scope.version, `${where}: the type \`stdin\``);
    return {
      name: shortName(name),
      ...(doc !== undefined && { doc }),
      type: isStdin
        ? "File"
        : readType(reader, scope, mapping["type"] ?? "Any", { parent: mapping, key: "type" }),
      ...readFileRules(reader, scope, mapping, where),
      loadContents:
        reader.flag(mapping, "loadContents", where) ||
        (isMapping(mapping["inputBinding"]) && mapping["inputBinding"]["loadContents"] === true),
      ...(binding && { binding }),
      ...(loadListing && { loadListing }),
      ...(mapping["default"] !== undefined && {
        default: readFileValues(reader, mapping["default"], { parent: mapping, key: "default" }),
      }),
    };
  });
}

const OUTPUT_FIELDS = fields({ "v1.0": "id type label doc outputBinding secondaryFiles format streamable" });

export function readOutputs(reader: Reader, scope: Scope, process: Mapping, what: string): ToolOutput[] {
  return reader.entries(process, "outputs", "id", "type", what).map(({ name, mapping, at }) => {
    const where = `${what}, output \`${shortName(name)}\``;
    reader.checkFields(mapping, OUTPUT_FIELDS, scope.version, where);
    if (mapping["type"] === undefined) reader.refuse(at.parent, at.key, `${where} has no type.`);
    const isStream = mapping["type"] === "stdout" || mapping["type"] === "stderr";
    const binding = readOutputBinding(reader, scope, mapping, where);
    return {
      name: shortName(name),
      type: isStream
        ? "File"
        : readType(reader, scope, mapping["type"] ?? "Any", { parent: mapping, key: "type" }),
      ...readFileRules(reader, scope, mapping, where),
      ...(binding && { binding }),
    };
  });
}
