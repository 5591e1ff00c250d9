import { type Fields, fields, has } from "#engines/cwl/model/fields";
import { expandPrefix, type Reader, type Scope, shortName, jsonExcerpt } from "#engines/cwl/documents/reader";
import type { CwlVersion, Requirement } from "#engines/cwl/model/model";
import { registerType } from "#engines/cwl/load/read-types";
import { readFileValues } from "#engines/cwl/load/read-values";
import { asList, isMapping, type Mapping } from "#engines/cwl/model/json";
import { userProblems, wishProblems } from "#engines/steps/container-demands";
import { gpuProblems } from "#engines/steps/gpus";
import { limitProblems } from "#engines/steps/limits";
import { retryProblems } from "#engines/steps/retries";
import { nearestWord } from "#plumbing/text/nearest-word";

/** The known requirements, with their fields. */
const FIELDS: Readonly<Record<string, Fields>> = {
  InlineJavascriptRequirement: fields({ "v1.0": "class expressionLib" }),
  SchemaDefRequirement: fields({ "v1.0": "class types" }),
  DockerRequirement: fields({
    "v1.0": "class dockerPull dockerLoad dockerFile dockerImport dockerImageId dockerOutputDirectory",
  }),
  SoftwareRequirement: fields({ "v1.0": "class packages" }),
  LoadListingRequirement: fields({ "v1.1": "class loadListing" }),
  InitialWorkDirRequirement: fields({ "v1.0": "class listing" }),
  EnvVarRequirement: fields({ "v1.0": "class envDef" }),
  ShellCommandRequirement: fields({ "v1.0": "class" }),
  ResourceRequirement: fields({
    "v1.0": "class coresMin coresMax ramMin ramMax tmpdirMin tmpdirMax outdirMin outdirMax",
  }),
  WorkReuse: fields({ "v1.1": "class enableReuse" }),
  NetworkAccess: fields({ "v1.1": "class networkAccess" }),
  InplaceUpdateRequirement: fields({ "v1.1": "class inplaceUpdate" }),
  ToolTimeLimit: fields({ "v1.1": "class timelimit" }),
  CUDARequirement: fields({
    "v1.0": "class cudaVersionMin cudaComputeCapability cudaDeviceCountMin cudaDeviceCountMax",
  }),
  SubworkflowFeatureRequirement: fields({ "v1.0": "class" }),
  ScatterFeatureRequirement: fields({ "v1.0": "class" }),
  MultipleInputFeatureRequirement: fields({ "v1.0": "class" }),
  StepInputExpressionRequirement: fields({ "v1.0": "class" }),
};
const DIRENT_FIELDS = fields({ "v1.0": "entry entryname writable" });

/** Former names of requirements, from before standardisation. Documents of v1.0 use these names. */
const EXTENSION = "http://commonwl.org/cwltool#";
const RENAMED: Readonly<Record<string, string>> = {
  "http://commonwl.org/cwltool#TimeLimit": "ToolTimeLimit",
  "http://arvados.org/cwl#ReuseRequirement": "WorkReuse",
};
/** The hint of REANA: how and where the jobs of a step run. */
const REANA = "reana";

export function readRequirements(
  reader: Reader,
  scope: Scope,
  parent: Mapping,
  key: "requirements" | "hints",
  what: string,
): Requirement[] {
  return reader
    .entries(parent, key, "class", undefined, `${what}, \`${key}\``)
    .flatMap(({ name, mapping, at }) => {
      const written = expandPrefix(name, scope);
      const version = isExtension(written) ? "v1.2" : scope.version;
      const known = className(written);
      const reason = unusable(known, name, version);
      if (known === undefined || reason !== undefined) {
        const sentence = `${what}: the ${key === "hints" ? "hint" : "requirement"} \`${name}\` ${reason}${reason?.endsWith("?") ? "" : "."}`;
        if (key === "hints") reader.warnings.push(`${sentence} It is ignored.`);
        else
          reader.refuse(
            at.parent,
            at.key,
            isOfVersion(known, version) ? `Unsupported: ${sentence}` : sentence,
          );
        return [];
      }
      if (known !== REANA) reader.checkFields(mapping, FIELDS[known]!, version, `${what}, ${known}`);
      if (known === "ResourceRequirement") checkWholeAmounts(reader, mapping, version, `${what}, ${known}`);
      return [read(reader, known, mapping, what)];
    });
}

/** Refuses fractions of a core or of a MiB before v1.2, like other CWL runners. An expression may yield a fraction. */
function checkWholeAmounts(reader: Reader, mapping: Mapping, version: CwlVersion, where: string): void {
  for (const [field, amount] of Object.entries(mapping))
    if (typeof amount === "number" && !Number.isInteger(amount))
      reader.checkVersion(mapping, field, "v1.2", version, `${where}: \`${field}\` is ${amount}, which`);
}

/** Returns why a version does not have a requirement, or why it is unsupported. Undefined if it is usable. */
function unusable(known: string | undefined, name: string, version: CwlVersion): string | undefined {
  if (known === undefined) {
    const nearest = nearestWord(name, Object.keys(FIELDS));
    return `is not known${nearest === undefined ? "" : `; did you mean \`${nearest}\`?`}`;
  }
  if (known === "SoftwareRequirement")
    return "asks for packages of software, and Reprise installs none: name it under `hints`, or use an image that has them (`DockerRequirement`)";
  const since = sinceOf(known);
  return has(version, since) ? undefined : `needs \`cwlVersion: ${since}\`, and the document says ${version}`;
}

function sinceOf(known: string): CwlVersion {
  return FIELDS[known]?.["class"] ?? "v1.0";
}

/** Returns whether a requirement is valid but unsupported. An unknown requirement may come from a later version. */
function isOfVersion(known: string | undefined, version: CwlVersion): boolean {
  return known === undefined || has(version, sinceOf(known));
}

function isExtension(name: string): boolean {
  return name.startsWith(EXTENSION) || Object.hasOwn(RENAMED, name);
}

function className(name: string): string | undefined {
  if (name === REANA) return REANA;
  const bare = name.startsWith(EXTENSION) ? name.slice(EXTENSION.length) : name.replace(/^.*cwl#/, "");
  const known = RENAMED[name] ?? bare;
  return Object.hasOwn(FIELDS, known) ? known : undefined;
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

/** Refuses values that would be ignored silently: a job must not run without its author's limits. */
function checkReanaHint(reader: Reader, hint: Mapping, where: string): void {
  for (const check of [limitProblems, retryProblems, userProblems, wishProblems, gpuProblems]) {
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
      `${where}: \`listing\` is ${jsonExcerpt(listing)}, not a list or an expression.`,
    );
  for (const item of asList(listing)) {
    if (!isMapping(item) || item["class"] !== undefined) continue;
    if (item["entry"] === undefined)
      reader.refuse(item, "entry", `${where}: an entry of the listing has no field \`entry\`.`);
    else reader.checkFields(item, DIRENT_FIELDS, "v1.2", where);
  }
}

/** Registers the types of `SchemaDefRequirement` before any use. */
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
