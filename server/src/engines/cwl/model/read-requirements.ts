import { expanded, type Reader, type Scope, shortName, shown } from "#engines/cwl/documents/reader";
import type { Requirement } from "#engines/cwl/model/model";
import { registerType } from "#engines/cwl/model/read-types";
import { readFileValues } from "#engines/cwl/model/read-values";
import { asList, isMapping, type Mapping } from "#engines/cwl/values/json";
import { userProblems } from "#engines/serial/container-demands";
import { limitProblems } from "#engines/serial/limits";
import { retryProblems } from "#engines/serial/retries";
import { nearestWord } from "#plumbing/text/nearest-word";

/** The requirements that exist, with their fields. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  InlineJavascriptRequirement: ["expressionLib"],
  SchemaDefRequirement: ["types"],
  DockerRequirement: [
    "dockerPull",
    "dockerLoad",
    "dockerFile",
    "dockerImport",
    "dockerImageId",
    "dockerOutputDirectory",
  ],
  SoftwareRequirement: ["packages"],
  LoadListingRequirement: ["loadListing"],
  InitialWorkDirRequirement: ["listing"],
  EnvVarRequirement: ["envDef"],
  ShellCommandRequirement: [],
  ResourceRequirement: [
    "coresMin",
    "coresMax",
    "ramMin",
    "ramMax",
    "tmpdirMin",
    "tmpdirMax",
    "outdirMin",
    "outdirMax",
  ],
  WorkReuse: ["enableReuse"],
  NetworkAccess: ["networkAccess"],
  InplaceUpdateRequirement: ["inplaceUpdate"],
  ToolTimeLimit: ["timelimit"],
  SubworkflowFeatureRequirement: [],
  ScatterFeatureRequirement: [],
  MultipleInputFeatureRequirement: [],
  StepInputExpressionRequirement: [],
};

/** Names that these requirements had before they were part of the standard. */
const EXTENSION = "http://commonwl.org/cwltool#";
const RENAMED: Readonly<Record<string, string>> = { TimeLimit: "ToolTimeLimit" };
/** The hint of REANA: how and where the jobs of a step run. */
const REANA = "reana";

export function readRequirements(
  reader: Reader,
  scope: Scope,
  parent: Mapping,
  key: "requirements" | "hints",
  what: string,
): Requirement[] {
  const isHint = key === "hints";
  return reader
    .entries(parent, key, "class", undefined, `${what}, \`${key}\``)
    .flatMap(({ name, mapping, at }) => {
      const known = className(expanded(name, scope));
      if (known === undefined) {
        const nearest = nearestWord(name, Object.keys(FIELDS));
        const hint = nearest === undefined ? "" : `; did you mean \`${nearest}\`?`;
        const sentence = `${what}: the ${isHint ? "hint" : "requirement"} \`${name}\` is not known${hint}`;
        if (isHint) reader.warnings.push(`${sentence} It is ignored.`);
        else reader.refuse(at.parent, at.key, `Unsupported: ${sentence}`);
        return [];
      }
      if (known !== REANA) reader.checkFields(mapping, ["class", ...FIELDS[known]!], `${what}, ${known}`);
      return [read(reader, known, mapping, what)];
    });
}

function className(name: string): string | undefined {
  if (name === REANA) return REANA;
  const bare = name.startsWith(EXTENSION) ? name.slice(EXTENSION.length) : name;
  const renamed = RENAMED[bare] ?? bare.replace(/^.*cwl#/, "");
  return Object.hasOwn(FIELDS, renamed) ? renamed : undefined;
}

function read(reader: Reader, name: string, mapping: Mapping, what: string): Requirement {
  const where = `${what}, ${name}`;
  switch (name) {
    case "EnvVarRequirement": {
      const envDef = reader
        .entries(mapping, "envDef", "envName", "envValue", where)
        .map((one) => ({ envName: one.name, envValue: String(one.mapping["envValue"]) }));
      return { class: name, envDef };
    }
    case REANA:
      checkReanaHint(reader, mapping, where);
      return { ...mapping, class: name };
    case "SchemaDefRequirement":
      return { class: name };
    case "InlineJavascriptRequirement": {
      const library = asList(mapping["expressionLib"]).filter((one) => typeof one === "string");
      return { class: name, ...(library.length > 0 && { library: library.join("\n") }) };
    }
    case "ToolTimeLimit": {
      const { timelimit } = mapping;
      if (typeof timelimit === "number" && timelimit < 0)
        reader.refuse(mapping, "timelimit", `${where}: \`timelimit\` is ${timelimit}, less than 0.`);
      return { ...mapping, class: name };
    }
    case "InitialWorkDirRequirement":
      checkDirents(reader, mapping, where);
      return {
        ...(readFileValues(reader, mapping, { parent: mapping, key: "listing" }) as Mapping),
        class: name,
      };
    default:
      return { ...mapping, class: name };
  }
}

/** Refuses values that would be ignored silently: a job must not run without a limit that its author asked for. */
function checkReanaHint(reader: Reader, hint: Mapping, where: string): void {
  for (const check of [limitProblems, retryProblems, userProblems]) {
    for (const { path, message } of check(hint, 0))
      reader.refuse(hint, path.split(".").at(-1)!, message.replace(/^Step 1:/, `${where}:`));
  }
}

function checkDirents(reader: Reader, mapping: Mapping, where: string): void {
  const { listing } = mapping;
  if (typeof listing !== "string" && !Array.isArray(listing))
    return reader.refuse(
      mapping,
      "listing",
      `${where}: \`listing\` is ${shown(listing)}, not a list or an expression.`,
    );
  for (const item of asList(listing)) {
    if (!isMapping(item) || item["class"] !== undefined) continue;
    if (item["entry"] === undefined)
      reader.refuse(item, "entry", `${where}: an entry of the listing has no field \`entry\`.`);
    else reader.checkFields(item, ["entry", "entryname", "writable"], where);
  }
}

/** Makes the types of `SchemaDefRequirement` known before anything names them. */
export function registerSchemaTypes(scope: Scope, process: Mapping): void {
  for (const key of ["requirements", "hints"]) {
    const value = process[key];
    const all = Array.isArray(value)
      ? value.filter((one) => isMapping(one) && shortName(String(one["class"])) === "SchemaDefRequirement")
      : isMapping(value)
        ? [value["SchemaDefRequirement"]]
        : [];
    for (const one of all as unknown[]) if (isMapping(one)) registerType(scope, asList(one["types"]).flat());
  }
}
