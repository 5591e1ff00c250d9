import { findJsonFault } from "#plumbing/formats/json-fault";
import { isObject } from "#workflow/specification/shape";

/** An entity of a crate, with the names of types and properties in their short forms. */
export interface CrateEntity {
  readonly id: string;
  readonly types: ReadonlySet<string>;
  readonly properties: ReadonlyMap<string, readonly unknown[]>;
}

/** The description of a crate. Its files are named by entities of its root. */
export interface CrateDocument {
  readonly root: CrateEntity;
  find(id: string): CrateEntity | undefined;
  all(): Iterable<CrateEntity>;
}

/** Thrown if a document does not describe a crate that can be read. The message continues "… cannot be imported:". */
export class CrateFault extends Error {}

export const METADATA = "ro-crate-metadata.json";

/** Contexts with known meaning. No context is ever fetched: the short names of properties tell enough. */
const KNOWN_CONTEXT = /^https?:\/\/w3id\.org\/ro\/(crate|terms)\/[\w./-]+$/;
const VERSION = /^https?:\/\/w3id\.org\/ro\/crate\/(1\.[123])(?:-DRAFT)?$/i;
const DEPTH_MAX = 20;

/** Reads the metadata of an RO-Crate 1.1, 1.2 or 1.3. */
export function readCrateDocument(text: string): CrateDocument {
  const document = parsed(text);
  checkContext(document["@context"], 0);
  const graph = document["@graph"];
  if (!Array.isArray(graph)) throw new CrateFault(`its ${METADATA} has no list "@graph"`);
  const entities = new Map<string, CrateEntity>();
  for (const [index, one] of graph.entries()) {
    const entity = entityOf(one, index);
    if (!entities.has(entity.id)) entities.set(entity.id, entity);
  }
  const find = (id: string) => entities.get(id);
  const descriptor = find(METADATA) ?? find(`./${METADATA}`);
  if (!descriptor) throw new CrateFault(`its ${METADATA} does not describe itself`);
  const versions = idsIn(descriptor, "conformsTo");
  if (!versions.some((id) => VERSION.test(id))) {
    const named = versions.length === 0 ? "no version" : JSON.stringify(versions.join(", ").slice(0, 200));
    throw new CrateFault(`it names ${named}; RO-Crate 1.1, 1.2 and 1.3 can be read`);
  }
  const [about = ""] = idsIn(descriptor, "about");
  const root = find(about);
  if (!root?.types.has("Dataset")) throw new CrateFault("its root is missing, or is not a Dataset");
  return { root, find, all: () => entities.values() };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = JSON.parse(text) as unknown;
    if (isObject(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { reason } = findJsonFault(text);
    throw new CrateFault(`its ${METADATA} is not valid JSON: ${reason}`);
  }
  throw new CrateFault(`its ${METADATA} is not an object`);
}

/** Refuses a context from elsewhere, because it could give any meaning to the names that this program knows. */
function checkContext(context: unknown, depth: number): void {
  if (depth > DEPTH_MAX) throw new CrateFault("its context is nested too deeply");
  if (Array.isArray(context)) return context.forEach((one) => checkContext(one, depth + 1));
  const address = isObject(context) ? context["@import"] : context;
  if (address === undefined || (typeof address === "string" && KNOWN_CONTEXT.test(address))) return;
  throw new CrateFault(
    `its context ${JSON.stringify(address).slice(0, 200)} is not one of RO-Crate, and nothing is fetched`,
  );
}

function entityOf(value: unknown, index: number): CrateEntity {
  const id = isObject(value) ? value["@id"] : undefined;
  if (!isObject(value) || typeof id !== "string")
    throw new CrateFault(`entry ${index + 1} of its "@graph" has no text "@id"`);
  const types = [value["@type"] ?? []].flat();
  if (!types.every((type) => typeof type === "string"))
    throw new CrateFault(`the "@type" of ${JSON.stringify(id.slice(0, 100))} is not a text`);
  const properties = Object.entries(value).filter(([name]) => !name.startsWith("@"));
  return {
    id,
    types: new Set(types.map(shortName)),
    properties: new Map(properties.map(([name, one]) => [shortName(name), [one].flat()])),
  };
}

/**
 * Returns the last part of a name: RO-Crate 1.1 has `input`, where others have `bioschemas:input`,
 * `https://bioschemas.org/ComputationalWorkflow#input` or `https://bioschemas.org/terms/input`.
 */
function shortName(name: string): string {
  const short = name.slice(Math.max(...["/", "#", ":"].map((mark) => name.lastIndexOf(mark))) + 1);
  return short === "MediaObject" ? "File" : short;
}

/** Returns the ids that a property names. */
export function idsIn(entity: CrateEntity | undefined, property: string): string[] {
  const values = entity?.properties.get(property) ?? [];
  return values.flatMap((value) =>
    isObject(value) && typeof value["@id"] === "string" ? [value["@id"]] : [],
  );
}

/** Returns the first text of a property. */
export function maybeText(entity: CrateEntity | undefined, property: string): string | undefined {
  return entity?.properties.get(property)?.find((value) => typeof value === "string");
}
