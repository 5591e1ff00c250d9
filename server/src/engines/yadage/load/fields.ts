import type { Report } from "#engines/yadage/load/report";
import { nearestWord } from "#plumbing/text/nearest-word";
import { isObject } from "#workflow/specification/shape";

/**
 * The allowed keys of each part of a workflow, and the type of each value, equal to the schema with which REANA's
 * client checks workflows before sending them. `any` leaves the check to the code that reads the value.
 */
const FIELDS = {
  workflow: { stages: "any" },
  stage: { name: "any", dependencies: "list or map", scheduler: "any" },
  predicate: { dependency_type: "any", expressions: "any" },
  "singlestep-stage": {
    scheduler_type: "any",
    parameters: "list or map",
    step: "any",
    workflow: "any",
    cases: "list",
    workflow_opts: "map",
    register_values: "map",
  },
  "multistep-stage": {
    scheduler_type: "any",
    parameters: "list or map",
    scatter: "any",
    batchsize: "number",
    partitionsize: "number",
    step: "any",
    workflow: "any",
    cases: "list",
    workflow_opts: "map",
    register_values: "map",
  },
  scatter: { method: "any", parameters: "any" },
  parameter: { key: "any", value: "parameter" },
  case: { if: "any", step: "any", workflow: "any" },
  step: { process: "map or null", environment: "map or null", publisher: "any" },
  "string-interpolated-cmd": { process_type: "any", cmd: "any" },
  "interpolated-script-cmd": { process_type: "any", script: "any", interpreter: "text" },
  "localproc-env": { environment_type: "any" },
  "noop-env": { environment_type: "any" },
  "docker-encapsulated": {
    environment_type: "any",
    image: "any",
    imagetag: "text",
    resources: "list",
    envscript: "text",
    env: "map",
    workdir: "text or null",
    par_mounts: "any",
  },
  "constant-pub": { publisher_type: "any", publish: "map" },
  "frompar-pub": { publisher_type: "any", outputmap: "any" },
  "interpolated-pub": {
    publisher_type: "any",
    publish: "value",
    glob: "true or false",
    relative_paths: "true or false",
  },
  "fromparjq-pub": {
    publisher_type: "any",
    script: "text",
    tryExact: "true or false",
    glob: "true or false",
    relative_paths: "true or false",
  },
  "fromglob-pub": { publisher_type: "any", globexpression: "any", outputkey: "any" },
  "fromyaml-pub": { publisher_type: "any", yamlfile: "any" },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Kind>>>>;

type Kind =
  | "any"
  | "list"
  | "list or map"
  | "map"
  | "map or null"
  | "number"
  | "parameter"
  | "text"
  | "text or null"
  | "true or false"
  | "value";

export type Part = keyof typeof FIELDS;

const ACCEPTS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  any: () => true,
  list: Array.isArray,
  "list or map": (value) => Array.isArray(value) || isObject(value),
  map: isObject,
  "map or null": (value) => value === null || isObject(value),
  number: (value) => typeof value === "number",
  parameter: (value) => value !== null && typeof value !== "boolean",
  text: (value) => typeof value === "string",
  "text or null": (value) => value === null || typeof value === "string",
  "true or false": (value) => typeof value === "boolean",
  value: (value) => value !== null,
};

/** Descriptions for kinds of values with unclear names. */
const IN_WORDS: Partial<Readonly<Record<Kind, string>>> = {
  parameter: "text, a number, a list or a map",
  value: "anything but null",
};
const SHOWN_MAX = 60;

/** Returns whether a word names a part, for example a type of publisher. */
export function isPart(word: unknown): word is Part {
  return typeof word === "string" && Object.hasOwn(FIELDS, word);
}

/** Refuses keys that a part of a workflow does not have, and values of the wrong kind. `shown` names the part in sentences. */
export function checkFields(
  part: Part,
  value: Readonly<Record<string, unknown>>,
  report: Report,
  shown = `a ${part}`,
): void {
  const known: Readonly<Record<string, Kind>> = FIELDS[part];
  for (const [key, item] of Object.entries(value)) {
    const at = { value, key };
    const kind = Object.hasOwn(known, key) ? known[key] : undefined;
    if (kind === undefined)
      report.refuse(`has ${shown} with the unknown key "${key}"${hint(key, known)}`, at);
    else if (!ACCEPTS[kind](item))
      report.refuse(
        `has ${shown} whose "${key}" is ${brief(item)}; it must be ${IN_WORDS[kind] ?? kind}`,
        at,
      );
  }
}

function hint(key: string, known: object): string {
  const names = Object.keys(known);
  const nearest = nearestWord(key, names);
  return nearest === undefined ? ` (its keys: ${names.join(", ")})` : `; did you mean "${nearest}"?`;
}

function brief(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`;
}
