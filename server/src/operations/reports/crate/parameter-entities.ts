import { encoded, type Entity, ref, refs } from "#operations/reports/crate/json-ld";

/** Parameters of the workflow with their values in this run, and the ids by which workflow and action name both. */
export interface Slots {
  readonly formal: readonly string[];
  readonly actual: readonly string[];
  readonly entities: readonly Entity[];
}

/** A declared file, folder or pattern, with the ids of its files. */
export interface DeclaredFiles {
  readonly name: string;
  readonly files: readonly string[];
}

function typeOf(value: unknown): string {
  if (typeof value === "number") return Number.isInteger(value) ? "Integer" : "Float";
  if (typeof value === "boolean") return "Boolean";
  return typeof value === "string" ? "Text" : "PropertyValue";
}

/** Returns a number, a text or a truth value as such, and any other value as JSON. */
export function plainValue(value: unknown): unknown {
  return ["number", "boolean", "string"].includes(typeof value) ? value : JSON.stringify(value);
}

export function valueSlots(values: Readonly<Record<string, unknown>>): Slots {
  const all = Object.entries(values).map(([name, value]) => {
    const [formal, actual] = [`#parameter/${encoded(name)}`, `#value/${encoded(name)}`];
    const entities: Entity[] = [
      parameter(formal, name, typeOf(value), actual),
      {
        "@id": actual,
        "@type": "PropertyValue",
        name,
        value: plainValue(value),
        exampleOfWork: ref(formal),
      },
    ];
    return { formal, actual, entities };
  });
  return joined(all);
}

/** Returns a slot for each declaration that had files. Several files of one declaration are a collection. */
export function fileSlots(role: "input" | "output", declared: readonly DeclaredFiles[]): Slots {
  const all = declared
    .filter(({ files }) => files.length > 0)
    .map(({ name, files }) => {
      const formal = `#${role}/${encoded(name)}`;
      if (files.length === 1) {
        const actual = files[0]!;
        return { formal, actual, entities: [parameter(formal, name, "File", actual)] };
      }
      const actual = `#files/${role}/${encoded(name)}`;
      const collection: Entity = {
        "@id": actual,
        "@type": "Collection",
        name,
        hasPart: refs(files),
        mainEntity: ref(files[0]!),
        exampleOfWork: ref(formal),
      };
      return { formal, actual, entities: [parameter(formal, name, "Collection", actual), collection] };
    });
  return joined(all);
}

function parameter(id: string, name: string, additionalType: string, actual: string): Entity {
  return { "@id": id, "@type": "FormalParameter", name, additionalType, workExample: ref(actual) };
}

function joined(
  all: readonly { readonly formal: string; readonly actual: string; readonly entities: readonly Entity[] }[],
): Slots {
  return {
    formal: all.map(({ formal }) => formal),
    actual: all.map(({ actual }) => actual),
    entities: all.flatMap(({ entities }) => entities),
  };
}
