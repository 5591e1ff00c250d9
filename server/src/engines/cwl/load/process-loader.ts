import { locationOf } from "#engines/documents";
import type { Spot } from "#engines/cwl/documents/document-set";
import { type CwlDocument, ReadingStopped } from "#engines/cwl/documents/document-set";
import { withImports } from "#engines/cwl/documents/imports";
import { type Reader, type Scope, jsonExcerpt } from "#engines/cwl/documents/reader";
import type { CwlVersion, Process } from "#engines/cwl/model/model";
import { readProcess } from "#engines/cwl/load/read-process";
import { asList, isMapping, type Mapping } from "#engines/cwl/model/json";
import type { Specification } from "#workflow/specification/specification";

const VERSIONS: readonly CwlVersion[] = ["v1.0", "v1.1", "v1.2"];
/** Drafts, and unsupported earlier and later releases. */
const OTHER_VERSION = /^(?:draft-\d|v\d)/;
/** Limit on workflows inside workflows. */
const DEPTH_MAX = 100;

/** Reads the main process and, recursively, all processes run by steps. Each process is read only once. */
export class ProcessLoader {
  readonly processes: Process[] = [];
  /** Prefixes of all documents. The first document with a prefix decides. */
  readonly namespaces: Record<string, string> = {};
  /** Ontologies named in documents. */
  readonly schemas: { readonly reference: string; readonly at: Spot }[] = [];
  readonly #reader: Reader;
  readonly #known = new Map<string, number>();
  readonly #ids = new Map<number, readonly string[]>();
  /** The location of the main document. */
  #main: string | null = null;
  /** Stack of processes under way, to detect a process that runs itself. */
  readonly #trail: string[] = [];
  readonly #resolved = new Map<CwlDocument, unknown>();

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** Returns the ids by which overrides may name a process: the document, and the place in the document. */
  idsOf(number: number): readonly string[] {
    return this.#ids.get(number) ?? [];
  }

  /** Returns the id named by a reference. References start at the main document. */
  idOf(reference: string, at: Spot): string {
    const [bare = "", fragment] = reference.split("#", 2);
    const location = bare === "" ? this.#main : this.#reader.documents.locateFrom(bare, this.#main, at);
    return fragment === undefined ? (location ?? "") : `${location ?? ""}#${fragment}`;
  }

  /** Returns the number of the main process. Undefined if documents are missing. */
  loadMain({ file, specification }: Specification["workflow"]): number | undefined {
    const { documents } = this.#reader;
    if (isMapping(specification) && Object.keys(specification).length > 0)
      return this.#load(documents.adopt(specification), undefined, undefined);
    const fragment = String(file).split("#", 2)[1];
    const place = locationOf(String(file), null);
    if (!place.ok) throw new ReadingStopped([{ path: "workflow.file", message: place.reason }]);
    this.#main = place.location;
    const document = documents.maybeDocument(place.location, undefined);
    return document && this.#load(document, fragment, undefined);
  }

  #load(document: CwlDocument, fragment: string | undefined, namedAt: Spot | undefined): number | undefined {
    const key = `${document.location ?? ""}#${fragment ?? ""}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const root = this.#valueOf(document);
    if (!isMapping(root)) throw this.#stop(namedAt, `${this.#placeOf(document)} is no CWL document.`);
    const mapping = partOf(root, fragment);
    if (!mapping) throw this.#stop(namedAt, this.#noPart(document, root, fragment));
    const place = document.location === null ? undefined : this.#placeOf(document);
    const name = nameOf(mapping, fragment, place);
    if (this.#trail.includes(key) || this.#trail.length > DEPTH_MAX)
      throw this.#stop(
        namedAt,
        `${name} runs itself: ${[...this.#trail, key].map((one) => this.#shownKey(one)).join(" → ")}.`,
      );
    this.#trail.push(key);
    const number = this.#read(mapping, name, this.#scopeOf(root, mapping));
    this.#trail.pop();
    if (number === undefined) return undefined;
    this.#known.set(key, number);
    const own = fragment ?? fragmentOf(mapping["id"]) ?? (root === mapping ? undefined : "main");
    const at = document.location ?? "";
    this.#ids.set(number, [
      ...(root === mapping ? [at] : []),
      ...(own === undefined ? [] : [`${at}#${own}`]),
    ]);
    return number;
  }

  #read(mapping: Mapping, name: string, scope: Scope): number | undefined {
    const process = readProcess(this.#reader, scope, mapping, name, (step, inner) => this.#run(step, inner));
    return process && this.processes.push(process) - 1;
  }

  /** Reads the process of a step. The number is valid only if no document is missing. */
  #run(step: Mapping, scope: Scope): number {
    const { run } = step;
    const at = { parent: step, key: "run" };
    if (isMapping(run))
      return this.#read(run, fragmentOf(run["id"]) ?? "run", this.#innerScope(step, run, scope)) ?? 0;
    if (typeof run !== "string") {
      this.#reader.refuse(
        step,
        "run",
        `A step runs ${jsonExcerpt(run)}, which is no reference and no process.`,
      );
      return 0;
    }
    const { documents } = this.#reader;
    const [bareReference = "", fragment] = run.split("#", 2);
    const document =
      bareReference === ""
        ? documents.documentOf(step)
        : documents.maybeDocument(documents.locate(run, at), at);
    return (document && this.#load(document, fragment, at)) ?? 0;
  }

  /** An imported process may have its own CWL version. An inline process has the version of its step. */
  #innerScope(step: Mapping, run: Mapping, scope: Scope): Scope {
    const { documents } = this.#reader;
    const isWritten = documents.documentOf(run) === documents.documentOf(step);
    const version = isWritten || run["cwlVersion"] === undefined ? scope.version : this.#versionOf(run);
    return { ...scope, version };
  }

  #valueOf(document: CwlDocument): unknown {
    if (!this.#resolved.has(document)) {
      const trail = document.location === null ? [] : [document.location];
      this.#resolved.set(document, withImports(this.#reader.documents, document.value, trail));
    }
    return this.#resolved.get(document);
  }

  #scopeOf(root: Mapping, mapping: Mapping): Scope {
    for (const [key, reference] of asList(root["$schemas"]).entries())
      if (typeof reference === "string")
        this.schemas.push({
          reference,
          at: { parent: isMapping(root["$schemas"]) ? root : (root["$schemas"] as object), key },
        });
    const namespaces = isMapping(root["$namespaces"]) ? (root["$namespaces"] as Record<string, string>) : {};
    Object.assign(this.namespaces, { ...namespaces, ...this.namespaces });
    // Only the version at the top of a document counts, for all of its processes.
    const version = this.#versionOf(root["cwlVersion"] === undefined ? mapping : root);
    return { version, namespaces, types: new Map() };
  }

  #versionOf(mapping: Mapping): CwlVersion {
    const { cwlVersion } = mapping;
    const version = VERSIONS.find((one) => one === cwlVersion);
    if (version !== undefined) return version;
    const supported = `Supported are ${VERSIONS.join(", ")}.`;
    const at = { parent: mapping, key: "cwlVersion" };
    // The rest would be judged by the rules of another version.
    if (typeof cwlVersion === "string" && OTHER_VERSION.test(cwlVersion))
      throw this.#stop(
        at,
        `Unsupported: The version ${jsonExcerpt(cwlVersion)} is not supported. ${supported}`,
      );
    const what =
      cwlVersion === undefined
        ? "The document has no `cwlVersion`"
        : `${jsonExcerpt(cwlVersion)} is not a version of CWL`;
    this.#reader.refuse(mapping, "cwlVersion", `${what}. ${supported}`);
    return "v1.2";
  }

  #noPart(document: CwlDocument, root: Mapping, fragment: string | undefined): string {
    const what = `${this.#placeOf(document)} has no process \`${fragment ?? "main"}\``;
    if (root["$graph"] === undefined) return `${what}: it is one process, and has no \`$graph\`.`;
    const ids = asList(root["$graph"]).map(
      (one) => fragmentOf(isMapping(one) ? one["id"] : undefined) ?? "?",
    );
    return `${what} (it has: ${ids.join(", ") || "none"}).`;
  }

  #placeOf({ location }: CwlDocument): string {
    return location === null ? "The specification" : this.#reader.documents.shown(location);
  }

  /** Returns the location and the fragment of a process for people. */
  #shownKey(key: string): string {
    const [location = "", fragment = ""] = key.split("#", 2);
    const place = location === "" ? "" : this.#reader.documents.shown(location);
    return fragment === "" ? place : `${place}#${fragment}`;
  }

  #stop(at: Spot | undefined, message: string): ReadingStopped {
    return new ReadingStopped([this.#reader.documents.problem(at, message)]);
  }
}

function fragmentOf(id: unknown): string | undefined {
  return typeof id === "string" ? id.slice(id.lastIndexOf("#") + 1) : undefined;
}

/** Finds the process: the whole document, or the part of the graph with the id. */
function partOf(root: Mapping, fragment: string | undefined): Mapping | undefined {
  const graph = root["$graph"];
  if (!Array.isArray(graph)) {
    if (fragment === undefined || fragmentOf(root["id"]) === fragment) return root;
    return root["class"] === "Workflow" ? stepRun(root, fragment) : undefined;
  }
  const parts = graph.filter(isMapping);
  const wanted = fragment ?? "main";
  return parts.find((one) => fragmentOf(one["id"]) === wanted);
}

/** Finds a process inside a step: `#main/align/run`. */
function stepRun(workflow: Mapping, fragment: string): Mapping | undefined {
  const { steps } = workflow;
  const all: readonly unknown[] = Array.isArray(steps) ? steps : Object.values(isMapping(steps) ? steps : {});
  const runs = all.map((step) => (isMapping(step) ? step["run"] : undefined)).filter(isMapping);
  return runs.find((run) => fragmentOf(run["id"]) === fragment);
}

function nameOf(mapping: Mapping, fragment: string | undefined, place: string | undefined): string {
  return fragment ?? fragmentOf(mapping["id"]) ?? place?.replace(/^.*\//, "") ?? "main";
}
