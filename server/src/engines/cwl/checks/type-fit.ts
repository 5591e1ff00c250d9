import { branchesOf, type CwlType, isPrimitive, type RecordType } from "#engines/cwl/model/types";

/** The extent to which the values of a type fit another type: all, some or no values. */
export type Fit = "always" | "sometimes" | "never";

/** Any value at all: `Any` does not stand for null. */
export const ANYTHING: CwlType = { kind: "union", of: ["null", "Any"] };

/** Judges whether values of one type can go where another type is wanted. A fit of null alone does not count. */
export function fit(source: CwlType, sink: CwlType): Fit {
  const fits = branchesOf(source).map((branch) => ({ branch, fit: fitOfBranch(branch, sink) }));
  if (fits.every((one) => one.fit === "always")) return "always";
  const values = fits.filter(({ branch }) => branch !== "null");
  const counted = values.length === 0 ? fits : values;
  return counted.every((one) => one.fit === "never") ? "never" : "sometimes";
}

/** Judges one branch of a source against all branches of the sink. */
function fitOfBranch(branch: CwlType, sink: CwlType): Fit {
  return best(branchesOf(sink).map((wanted) => fitOfOne(branch, wanted)));
}

function fitOfOne(source: CwlType, sink: CwlType): Fit {
  if (sink === "Any") return source === "null" ? "never" : "always";
  if (source === "Any") return sink === "null" ? "never" : "always";
  if (isPrimitive(source) || isPrimitive(sink)) return fitOfPrimitives(source, sink);
  if (source.kind === "array" && sink.kind === "array") return fit(source.items, sink.items);
  if (source.kind === "record" && sink.kind === "record") return fitOfRecords(source, sink);
  if (source.kind === "enum" && sink.kind === "enum")
    return portion(source.symbols.map((symbol) => sink.symbols.includes(symbol)));
  return "never";
}

/** Number types that can represent every number of a type. */
const WIDER: Readonly<Record<string, readonly CwlType[]>> = {
  int: ["long", "float", "double"],
  long: ["float", "double"],
  float: ["double"],
};
/** Number types that can represent some numbers of a type. */
const NARROWER: Readonly<Record<string, readonly CwlType[]>> = { long: ["int"], double: ["float"] };

function fitOfPrimitives(source: CwlType, sink: CwlType): Fit {
  if (source === sink) return "always";
  if (isEnum(source)) return sink === "string" ? "always" : "never";
  if (isEnum(sink)) return source === "string" ? "sometimes" : "never";
  if (!isPrimitive(source)) return "never";
  if (WIDER[source]?.includes(sink)) return "always";
  return NARROWER[source]?.includes(sink) ? "sometimes" : "never";
}

function isEnum(type: CwlType): boolean {
  return !isPrimitive(type) && type.kind === "enum";
}

/**
 * Compares two records field by field. A field missing in the source is null. A field missing in the sink is ignored.
 */
function fitOfRecords(source: RecordType, sink: RecordType): Fit {
  return worst(
    sink.fields.map(({ name, type }) =>
      fit(source.fields.find((field) => field.name === name)?.type ?? "null", type),
    ),
  );
}

function portion(hits: readonly boolean[]): Fit {
  if (hits.every(Boolean)) return "always";
  return hits.some(Boolean) ? "sometimes" : "never";
}

function best(fits: readonly Fit[]): Fit {
  return (["always", "sometimes"] as const).find((one) => fits.includes(one)) ?? "never";
}

function worst(fits: readonly Fit[]): Fit {
  return (["never", "sometimes"] as const).find((one) => fits.includes(one)) ?? "always";
}
