import { hasParentSegment, plainPath } from "#plumbing/files/relative-path";
import {
  type CrateDocument,
  type CrateEntity,
  CrateFault,
  idsIn,
  maybeText,
  METADATA,
} from "#workflow/crate/crate-document";
import type { Language } from "#workflow/language";

/** The workflow in a crate of another engine, as a specification. */
export interface CrateWorkflow {
  readonly specification: object;
  /** Paths of the files that the workflow needs. */
  readonly files: readonly string[];
}

const LANGUAGES: readonly (readonly [language: Language, word: RegExp, file: RegExp])[] = [
  ["cwl", /\bcwl\b|common workflow language/i, /\.cwl$/i],
  ["snakemake", /snakemake/i, /(^|\/)Snakefile$|\.smk$/i],
  ["yadage", /yadage/i, /^$/],
];

/**
 * Makes a specification of the main workflow of a crate, with the parameters of its newest run. All files belong to the
 * workflow except those that a run has made.
 */
export function workflowOf(crate: CrateDocument, names: ReadonlySet<string>): CrateWorkflow {
  const [mainId = ""] = idsIn(crate.root, "mainEntity");
  const main = crate.find(mainId);
  if (!main) throw new CrateFault("it names no main workflow");
  const file = localPath(main.id);
  if (file === undefined || !names.has(file))
    throw new CrateFault(`its main workflow ${shown(main.id)} is not a file of the crate`);
  const language = languageOf(crate, main, file);
  const run = newestRun(crate, main.id);
  const files = filesOf(crate, names);
  return {
    specification: {
      workflow: { type: language, file },
      inputs: {
        files: files.filter((path) => path !== file),
        parameters: run ? parametersOf(crate, run, language) : {},
      },
    },
    files,
  };
}

function languageOf(crate: CrateDocument, main: CrateEntity, file: string): Language {
  const named = idsIn(main, "programmingLanguage").map((id) => crate.find(id));
  const words = named.flatMap((one) => [one?.id, maybeText(one, "name"), maybeText(one, "alternateName")]);
  const text = [...words, maybeText(main, "programmingLanguage")]
    .filter((word) => word !== undefined)
    .join(" ");
  const byWord = LANGUAGES.find(([, word]) => word.test(text));
  const found = byWord ?? (text === "" ? LANGUAGES.find(([, , name]) => name.test(file)) : undefined);
  if (found) return found[0];
  const language = maybeText(named[0], "name") ?? text;
  const what = language === "" ? "no known language" : shown(language);
  throw new CrateFault(
    `its main workflow ${shown(file)} is in ${what}; CWL, Snakemake and Yadage can be imported`,
  );
}

function newestRun(crate: CrateDocument, main: string): CrateEntity | undefined {
  const runs = [...crate.all()].filter(
    (one) => one.types.has("CreateAction") && idsIn(one, "instrument").includes(main),
  );
  const ended = (run: CrateEntity) => maybeText(run, "endTime") ?? "";
  return runs.toSorted((one, other) => (ended(one) < ended(other) ? 1 : -1))[0];
}

/** Returns the files of the crate that no action has made, without the files of the crate itself. */
function filesOf(crate: CrateDocument, names: ReadonlySet<string>): string[] {
  const made = new Set<string>();
  const own = new Set([METADATA, "ro-crate-preview.html", "README.md"]);
  for (const entity of crate.all()) {
    if (entity.types.has("CreateAction") || entity.types.has("UpdateAction"))
      for (const id of idsIn(entity, "result")) for (const path of pathsOf(crate, id, names)) made.add(path);
  }
  const listed = partsOf(crate).flatMap((id) => pathsOf(crate, id, names));
  return [...new Set(listed)].filter((path) => !made.has(path) && !own.has(path)).toSorted();
}

/** Returns the parts of the root, and their parts. */
function partsOf(crate: CrateDocument): string[] {
  const parts = new Set<string>(idsIn(crate.root, "hasPart"));
  // A set yields what is added to it while it is read.
  for (const id of parts) for (const part of idsIn(crate.find(id), "hasPart")) parts.add(part);
  return [...parts];
}

/** Returns the files that an entity stands for: itself, the parts of a collection, or everything in a folder. */
function pathsOf(crate: CrateDocument, id: string, names: ReadonlySet<string>): string[] {
  const path = localPath(id);
  if (path !== undefined && names.has(path)) return [path];
  const entity = crate.find(id);
  if (entity?.types.has("Collection"))
    return idsIn(entity, "hasPart")
      .flatMap((part) => localPath(part) ?? [])
      .filter((part) => names.has(part));
  if (path === undefined || path === "" || !entity?.types.has("Dataset")) return [];
  return [...names].filter((name) => name.startsWith(`${path}/`));
}

function parametersOf(crate: CrateDocument, run: CrateEntity, language: Language): Record<string, unknown> {
  const parameters: [string, unknown][] = [];
  for (const id of idsIn(run, "object")) {
    const entity = crate.find(id);
    const [slot = ""] = idsIn(entity, "exampleOfWork");
    const formal = crate.find(slot);
    const name = maybeText(formal, "name");
    if (!entity || name === undefined) continue;
    const value = valueOf(crate, entity, { language, type: maybeText(formal, "additionalType") });
    if (value !== undefined) parameters.push([name, value]);
  }
  return Object.fromEntries(parameters);
}

interface Wanted {
  readonly language: Language;
  readonly type: string | undefined;
}

function valueOf(crate: CrateDocument, entity: CrateEntity, wanted: Wanted): unknown {
  if (entity.types.has("PropertyValue")) {
    const values = (entity.properties.get("value") ?? []).map((value) => typed(value, wanted.type));
    return values.length === 1 ? values[0] : values;
  }
  if (entity.types.has("Collection"))
    return idsIn(entity, "hasPart").flatMap((id) => {
      const part = crate.find(id);
      return part && !part.types.has("Collection") ? [valueOf(crate, part, wanted)] : [];
    });
  const path = localPath(entity.id);
  if (path === undefined) return undefined;
  if (wanted.language !== "cwl") return path;
  return { class: entity.types.has("Dataset") ? "Directory" : "File", path };
}

/** Values are often written as texts. The declared type tells what they are. */
function typed(value: unknown, type: string | undefined): unknown {
  if (typeof value !== "string") return value;
  if (
    ["Integer", "Float", "Number"].includes(type ?? "") &&
    value.trim() !== "" &&
    Number.isFinite(Number(value))
  )
    return Number(value);
  return type === "Boolean" && /^(true|false)$/i.test(value) ? value.toLowerCase() === "true" : value;
}

/** Returns the path of a file of the crate. Returns undefined for an address, and for a thing without a file. */
function localPath(id: string): string | undefined {
  if (id.startsWith("#") || /^(?!file:)[a-z][a-z0-9+.-]*:/i.test(id)) return undefined;
  const path = decoded(id);
  if (path.startsWith("/") || /^file:/i.test(id))
    throw new CrateFault(`it names ${shown(id)}, an absolute path`);
  if (hasParentSegment(path) || path.includes("\\") || path.includes("\0"))
    throw new CrateFault(`it names ${shown(id)}, which is not a plain path inside it`);
  return plainPath(path);
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
