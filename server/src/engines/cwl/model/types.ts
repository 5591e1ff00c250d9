import type { Binding, FileRules, LoadListing, OutputBinding } from "#engines/cwl/model/bindings";

/** The type of a value. Names are resolved, and a type is self-contained. */
export type CwlType = Primitive | ArrayType | RecordType | EnumType | UnionType;

export const PRIMITIVES = [
  "null",
  "boolean",
  "int",
  "long",
  "float",
  "double",
  "string",
  "File",
  "Directory",
  "Any",
] as const;

export type Primitive = (typeof PRIMITIVES)[number];

export interface UnionType {
  readonly kind: "union";
  readonly of: readonly CwlType[];
}

export interface ArrayType {
  readonly kind: "array";
  readonly items: CwlType;
  readonly binding?: Binding;
}

export interface RecordType {
  readonly kind: "record";
  readonly fields: readonly RecordField[];
  readonly binding?: Binding;
}

export interface RecordField extends FileRules {
  readonly name: string;
  readonly type: CwlType;
  readonly binding?: Binding;
  readonly output?: OutputBinding;
  readonly loadContents: boolean;
  readonly loadListing?: LoadListing;
}

export interface EnumType {
  readonly kind: "enum";
  readonly symbols: readonly string[];
  readonly binding?: Binding;
}

export function isPrimitive(type: CwlType): type is Primitive {
  return typeof type === "string";
}

/** Returns the types of a union, or the type itself. */
export function branchesOf(type: CwlType): readonly CwlType[] {
  return !isPrimitive(type) && type.kind === "union" ? type.of : [type];
}

/** Returns whether a value of the type may contain a file or a folder, as given by `wanted`. */
export function mayHold(type: CwlType, wanted: "File" | "Directory"): boolean {
  if (isPrimitive(type)) return type === wanted || type === "Any";
  switch (type.kind) {
    case "union":
      return type.of.some((one) => mayHold(one, wanted));
    case "array":
      return mayHold(type.items, wanted);
    case "record":
      return type.fields.some((field) => mayHold(field.type, wanted));
    case "enum":
      return false;
  }
}

function isUnion(type: CwlType): type is UnionType {
  return !isPrimitive(type) && type.kind === "union";
}

/** Writes a type as documents do: `File[]?`. */
export function typeText(type: CwlType): string {
  if (isPrimitive(type)) return type;
  switch (type.kind) {
    case "array": {
      const items = typeText(type.items);
      return items.includes(" or ") && isUnion(type.items) ? `(${items})[]` : `${items}[]`;
    }
    case "record":
      return `record {${type.fields.map(({ name }) => name).join(", ")}}`;
    case "enum":
      return `enum (${type.symbols.join(", ")})`;
    case "union": {
      const others = type.of.filter((one) => one !== "null");
      const text = others.map(typeText).join(" or ");
      if (others.length === type.of.length) return text;
      return others.length === 1 ? `${text}?` : `${text} or null`;
    }
  }
}
