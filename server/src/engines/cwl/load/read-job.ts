import { isAddress, locationOf } from "#engines/documents";
import type { RunRequest } from "#engines/engine";
import { checkInputs } from "#engines/cwl/load/check-inputs";
import { type KindOf, refuseAbsent, refuseMissing } from "#engines/cwl/load/check-presence";
import { ReadingStopped } from "#engines/cwl/documents/document-set";
import { withImports } from "#engines/cwl/documents/imports";
import { OVERRIDES_FILE } from "#engines/cwl/load/overrides";
import { expandPrefix, type Reader, type Scope } from "#engines/cwl/documents/reader";
import { mismatch } from "#engines/cwl/values/conform";
import { type FileValue, filesIn, mapDeep, mapFiles } from "#engines/cwl/values/files";
import type { CwlModel, Process, Requirement } from "#engines/cwl/model/model";
import { readRequirements } from "#engines/cwl/load/read-requirements";
import { readFileValues } from "#engines/cwl/load/read-values";
import { isMapping, type Mapping } from "#engines/cwl/model/json";

export interface JobValues {
  readonly values: Readonly<Record<string, unknown>>;
  readonly requirements: readonly Requirement[];
  readonly document?: CwlModel["jobDocument"];
  /** Parsed documents that may hold overrides. */
  readonly overriding: readonly Mapping[];
}

/**
 * Names the document with the inputs, if paths in the document start at its own folder. Names of inputs cannot contain
 * a colon. Paths in a document named by a `reana.yaml` start at the workspace, because REANA loads the document into
 * the parameters.
 */
export const INPUT_FILE = "cwl-runner:inputs";

/**
 * Reads the input object from the specification's parameters, or from a document named by the parameter `input` or by
 * `workflow.parameters.file`, as in REANA's examples. Parameters of the start override both. If a workflow has an input
 * with the name `input`, a text names a document unless the input takes texts.
 */
export function readJob(
  reader: Reader,
  request: RunRequest,
  main: Process,
  namespaces: Scope["namespaces"],
  kindOf?: KindOf,
): JobValues {
  const declared = request.specification.inputs?.parameters;
  const own: Mapping = isMapping(declared) ? declared : {};
  const key = Object.hasOwn(own, INPUT_FILE) ? INPUT_FILE : "input";
  const { [key]: input, ...others } = own;
  const isFile = typeof input === "string" && !takesTexts(main, key);
  const file = maybeParameterFile(request) ?? (isFile ? input : undefined);
  const document =
    file === undefined ? undefined : readDocument(reader, file, { isRooted: key !== INPUT_FILE });
  const inDocument = document?.values ?? {};
  const given = { ...(isFile ? others : own), ...request.parameters };
  if (document?.written) {
    const isReplaced = (name: string) => (given as Mapping)[name] !== undefined;
    checkInputs(reader, { written: document.written, values: inDocument, isReplaced }, main);
  }
  const read = adopted(reader, given) as Mapping;
  const values = { ...inDocument, ...read };
  if (kindOf && reader.documents.needed.length === 0) {
    refuseMissing(reader, main.inputs, values);
    const { inputs } = main;
    const left = inputs.filter(({ name }) => (given as Mapping)[name] === undefined);
    const written = document?.written ?? {};
    refuseAbsent(reader, { written, values: inDocument }, { inputs: left, kindOf });
    refuseAbsent(reader, { written: given, values: read }, { inputs, kindOf });
  }
  const inFile = isMapping(values["$namespaces"]) ? (values["$namespaces"] as Record<string, string>) : {};
  const scope = { namespaces: { ...namespaces, ...inFile } };
  const written = mapFiles(onlyInputs(values), (found) => mapDeep(found, (one) => withFormat(one, scope)));
  return {
    values: written as Mapping,
    requirements: requirementsOf(reader, values, main),
    overriding: reader.root === "/" ? overridingIn(reader, own, document) : [],
    ...(document?.isRooted && {
      document: { location: document.location, files: locationsIn(inDocument) },
    }),
  };
}

/** Returns the input document, and the separate document of overrides. */
function overridingIn(reader: Reader, own: Mapping, document: InputDocument | undefined): readonly Mapping[] {
  const file = own[OVERRIDES_FILE];
  const others = typeof file === "string" ? readDocument(reader, file, { isRooted: false }) : undefined;
  return [document?.written, others?.written].filter((one) => one !== undefined);
}

function locationsIn(value: unknown): readonly string[] {
  return filesIn(value, true).flatMap(({ location }) => (location === undefined ? [] : [location]));
}

function takesTexts({ inputs }: Process, key: string): boolean {
  const type = inputs.find(({ name }) => name === key)?.type;
  return type !== undefined && mismatch("a text", type) === undefined;
}

function maybeParameterFile({ specification }: RunRequest): string | undefined {
  const { parameters } = specification.workflow;
  const file = isMapping(parameters) ? parameters["file"] : undefined;
  return typeof file === "string" ? file : undefined;
}

function withFormat(file: FileValue, scope: Pick<Scope, "namespaces">): FileValue {
  return typeof file.format === "string" ? { ...file, format: expandPrefix(file.format, scope) } : file;
}

interface InputDocument {
  readonly location: string;
  /** True if paths start at the root of the workspace. */
  readonly isRooted: boolean;
  readonly values: Mapping;
  /** The parsed document. */
  readonly written?: Mapping;
}

function readDocument(
  reader: Reader,
  path: string,
  { isRooted }: Pick<InputDocument, "isRooted">,
): InputDocument {
  const place = locationOf(path, null);
  if (!place.ok) throw new ReadingStopped([{ path: "inputs.parameters.input", message: place.reason }]);
  const { location } = place;
  const made = { location, isRooted: isRooted && !isAddress(location) };
  const document = reader.documents.maybeDocument(location, undefined, made.isRooted ? null : location);
  if (!document) return { ...made, values: {} };
  const value = withImports(reader.documents, document.value, [location]);
  if (isMapping(value)) {
    const values = readFileValues(reader, value, { parent: value, key: "" }) as Mapping;
    return { ...made, values, written: value };
  }
  reader.problems.push({ path: "", file: location, message: "The input object is no mapping." });
  return { ...made, values: {} };
}

function adopted(reader: Reader, given: Mapping): unknown {
  if (Object.keys(given).length === 0) return {};
  reader.documents.adopt(given);
  return readFileValues(reader, given, { parent: given, key: "" });
}

const REQUIREMENTS = /^(?:cwl:|https:\/\/w3id\.org\/cwl\/cwl#)requirements$/;

function requirementsOf(reader: Reader, values: Mapping, { version }: Process): readonly Requirement[] {
  const key = Object.keys(values).find((one) => REQUIREMENTS.test(one));
  if (key === undefined) return [];
  reader.checkVersion(values, key, "v1.1", version, `The input object: \`${key}\``);
  const holder = { requirements: values[key] };
  reader.documents.adopt(holder);
  const scope = { version: "v1.2", namespaces: {}, types: new Map<string, Mapping>() } as const;
  return readRequirements(reader, scope, holder, "requirements", "The input object");
}

/** Removes the keys about the input object itself: `cwl:tool`, `$schemas`. */
function onlyInputs(values: Mapping): Mapping {
  return Object.fromEntries(
    Object.entries(values).filter(([key]) => !key.includes(":") && !key.startsWith("$")),
  );
}
