import { type Faults, isObject, joinPath } from "#workflow/specification/shape";

/**
 * A step of a workflow parsed by REANA's client: the parameters given to its commands, and the parameters
 * used.
 */
export interface ParsedStep {
  readonly name: string;
  readonly commands: readonly string[];
  readonly given: ReadonlySet<string>;
  readonly taken: ReadonlySet<string>;
}

const SPECIFICATION = "workflow.specification";
const DANGEROUS = ["sudo ", "cd /"];

/** Finds commands that REANA considers dangerous. A step may have no name. */
export function* findDangerous(
  steps: readonly { readonly name: string; readonly commands: readonly string[]; readonly path: string }[],
): Faults {
  for (const { name, commands, path } of steps) {
    for (const operation of DANGEROUS.filter((word) => commands.some((command) => command.includes(word)))) {
      const where = name === "" ? "" : ` found in step "${name}"`;
      yield {
        code: "parameters",
        path,
        message: `Operation "${operation.trim()}"${where} might be dangerous.`,
      };
    }
  }
}

/** Finds REANA's warnings about the parsed steps under the given key of a specification. */
export function* findInSteps(
  steps: readonly ParsedStep[],
  { language, key }: { readonly language: "Yadage" | "Snakemake"; readonly key: string },
): Faults {
  yield* findDangerous(steps.map((step, index) => ({ ...step, path: pathOfStep(key, index) })));
  yield* findMisused(steps, language);
}

/** Yields REANA's two warnings, once per parameter, with the steps concerned. */
function* findMisused(steps: readonly ParsedStep[], language: "Yadage" | "Snakemake"): Faults {
  const fault = (message: string) => ({ code: "parameters", path: SPECIFICATION, message });
  for (const [name, places] of placesOf(steps, ({ taken, given }) => minus(taken, given))) {
    yield fault(`${language} parameter "${name}" found on ${places} is not defined in input parameters.`);
  }
  for (const [name, places] of placesOf(steps, ({ taken, given }) => minus(given, taken))) {
    yield fault(`${language} input parameter "${name}" found on ${places} does not seem to be used.`);
  }
}

/** Returns each name with its steps, as text for a message. */
function placesOf(
  steps: readonly ParsedStep[],
  namesOf: (step: ParsedStep) => readonly string[],
): Map<string, string> {
  const found = new Map<string, Set<string>>();
  for (const step of steps) {
    for (const name of namesOf(step)) found.set(name, (found.get(name) ?? new Set()).add(step.name));
  }
  const inWords = (names: ReadonlySet<string>) =>
    `step${names.size > 1 ? "s" : ""} "${[...names].join(", ")}"`;
  return new Map([...found].map(([name, names]) => [name, inWords(names)]));
}

function minus(names: ReadonlySet<string>, others: ReadonlySet<string>): string[] {
  return [...names].filter((name) => !others.has(name));
}

/** Finds dangerous commands in the tools of a packed CWL document, or in a document with a single tool. */
export function* findDangerousTools(specification: unknown): Faults {
  if (!isObject(specification)) return;
  const graph = specification.$graph ?? specification;
  const tools = (Array.isArray(graph) ? graph : [graph]).filter(isObject);
  yield* findDangerous(
    tools.map((tool) => ({
      name: typeof tool.id === "string" ? tool.id : "",
      commands: [tool.baseCommand, tool.arguments].flat().filter((part) => typeof part === "string"),
      path: SPECIFICATION,
    })),
  );
}

export function keysOf(value: unknown): string[] {
  return isObject(value) ? Object.keys(value) : [];
}

export function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

export function listIn(value: unknown, key: string): Record<string, unknown>[] {
  const list = isObject(value) ? value[key] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}

export function nameAt(step: Record<string, unknown>, index: number): string {
  return typeof step.name === "string" && step.name !== "" ? step.name : String(index);
}

export function pathOfStep(key: string, index: number): string {
  return joinPath(`${SPECIFICATION}.${key}`, index);
}
