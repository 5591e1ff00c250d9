import { fields, type Fields, has } from "#engines/cwl/model/fields";
import {
  expandPrefix,
  isExpression,
  type Reader,
  type Scope,
  jsonExcerpt,
} from "#engines/cwl/documents/reader";
import type {
  Binding,
  FileRules,
  LoadListing,
  OutputBinding,
  SecondaryFiles,
} from "#engines/cwl/model/bindings";
import { asList, isMapping, type Mapping } from "#engines/cwl/model/json";

export const LISTINGS: readonly LoadListing[] = ["no_listing", "shallow_listing", "deep_listing"];

const BINDING_FIELDS = fields({
  "v1.0": "position prefix separate itemSeparator valueFrom shellQuote loadContents",
});
const WORKFLOW_BINDING_FIELDS = fields({ "v1.0": "loadContents" });
const OUTPUT_BINDING_FIELDS = fields({ "v1.0": "glob loadContents outputEval", "v1.1": "loadListing" });
const SECONDARY_FIELDS: Fields = fields({ "v1.1": "pattern required" });

export function readBinding(
  reader: Reader,
  scope: Scope,
  parent: Mapping,
  what: string,
): Binding | undefined {
  const key = "inputBinding";
  const value = parent[key];
  if (value === undefined || value === null) return undefined;
  if (!isMapping(value)) {
    reader.refuse(parent, key, `${what}: \`${key}\` is ${jsonExcerpt(value)}, not a mapping.`);
    return undefined;
  }
  return bindingFrom(reader, scope, value, what);
}

/** Checks the binding of an input outside of command lines. Before v1.1, the binding may have unused fields. */
export function checkWorkflowBinding(
  reader: Reader,
  { version }: Scope,
  parent: Mapping,
  what: string,
): void {
  const value = parent["inputBinding"];
  if (isMapping(value) && has(version, "v1.1"))
    reader.checkFields(value, WORKFLOW_BINDING_FIELDS, version, `${what}, \`inputBinding\``);
}

export function bindingFrom(reader: Reader, { version }: Scope, value: Mapping, what: string): Binding {
  reader.checkFields(value, BINDING_FIELDS, version, what);
  const { position, separate, shellQuote } = value;
  const prefix = reader.maybeText(value, "prefix", what);
  const itemSeparator = reader.maybeText(value, "itemSeparator", what);
  const valueFrom = reader.maybeText(value, "valueFrom", what);
  const hasPosition = typeof position === "number" || typeof position === "string";
  if (position !== undefined && position !== null && !hasPosition)
    reader.refuse(
      value,
      "position",
      `${what}: \`position\` is ${jsonExcerpt(position)}, not a number or an expression.`,
    );
  if (typeof position === "string")
    reader.checkVersion(value, "position", "v1.1", version, `${what}: an expression for \`position\``);
  return {
    ...(hasPosition && { position }),
    ...(prefix !== undefined && { prefix }),
    ...(itemSeparator !== undefined && { itemSeparator }),
    ...(valueFrom !== undefined && { valueFrom }),
    ...(typeof separate === "boolean" && { separate }),
    ...(typeof shellQuote === "boolean" && { shellQuote }),
  };
}

export function readOutputBinding(
  reader: Reader,
  { version }: Scope,
  parent: Mapping,
  what: string,
): OutputBinding | undefined {
  const value = parent["outputBinding"];
  if (value === undefined || value === null) return undefined;
  if (!isMapping(value)) {
    reader.refuse(
      parent,
      "outputBinding",
      `${what}: \`outputBinding\` is ${jsonExcerpt(value)}, not a mapping.`,
    );
    return undefined;
  }
  reader.checkFields(value, OUTPUT_BINDING_FIELDS, version, what);
  const loadListing = reader.maybeWord(value, "loadListing", LISTINGS, what);
  const outputEval = reader.maybeText(value, "outputEval", what);
  return {
    glob: reader.texts(value, "glob", what),
    loadContents: reader.flag(value, "loadContents", what),
    ...(loadListing && { loadListing }),
    ...(outputEval !== undefined && { outputEval }),
  };
}

export function readFileRules(reader: Reader, scope: Scope, mapping: Mapping, what: string): FileRules {
  const secondaryFiles = asList(mapping["secondaryFiles"]).flatMap((one) =>
    secondaryFrom(reader, scope, mapping, one, what),
  );
  const format = reader.texts(mapping, "format", what);
  return {
    secondaryFiles,
    format: format.map((one) => (isExpression(one) ? one : expandPrefix(one, scope))),
  };
}

function secondaryFrom(
  reader: Reader,
  scope: Scope,
  parent: Mapping,
  value: unknown,
  what: string,
): SecondaryFiles[] {
  if (typeof value === "string") {
    // In v1.0, a question mark is a part of the name.
    if (value.endsWith("?") && !isExpression(value) && has(scope.version, "v1.1"))
      return [{ pattern: value.slice(0, -1), required: false }];
    return [{ pattern: value }];
  }
  if (isMapping(value) && typeof value["pattern"] === "string") {
    reader.checkFields(value, SECONDARY_FIELDS, scope.version, `${what}, \`secondaryFiles\``);
    const { pattern, required } = value;
    const isGiven = typeof required === "boolean" || typeof required === "string";
    const [whole] = secondaryFrom(reader, scope, parent, pattern, what);
    return [{ ...whole!, ...(isGiven && { required }) }];
  }
  const problem = isMapping(value) ? "Missing pattern in an entry" : `${jsonExcerpt(value)} is no entry`;
  reader.refuse(parent, "secondaryFiles", `${what}: ${problem} of \`secondaryFiles\`.`);
  return [];
}
