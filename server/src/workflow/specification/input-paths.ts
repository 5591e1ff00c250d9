import { isRemote } from "#workflow/specification/remote-inputs";
import { type Faults, isObject, joinPath } from "#workflow/specification/shape";
import { plainPath, whyOutside } from "#plumbing/files/relative-path";

/** Limit for the search for repetitions. More paths get a warning, and the rest are not searched. */
const MAX_INPUT_PATHS = 1000;
const MAX_PATH_LENGTH = 4096;

export interface InputPath {
  /** `inputs.files.0` */
  readonly at: string;
  readonly text: string;
}

/**
 * Yields the paths under `inputs.files` and `inputs.directories`, a list or one text, with their places.
 * Skips entries that are not text, or are addresses. `declared-paths.ts` decides which paths a run takes.
 */
export function* inputPathsOf(inputs: unknown): Generator<InputPath, void, undefined> {
  if (!isObject(inputs)) return;
  for (const key of ["files", "directories"]) {
    const list = Object.hasOwn(inputs, key) ? inputs[key] : undefined;
    if (typeof list === "string" && !isRemote(list)) yield { at: `inputs.${key}`, text: list };
    if (!Array.isArray(list)) continue;
    for (const [index, text] of list.entries()) {
      if (typeof text === "string" && !isRemote(text)) yield { at: joinPath(`inputs.${key}`, index), text };
    }
  }
}

/** Returns why a declared input may lead out of the workspace, in REANA's words. Undefined if it cannot. */
export function unsafePath(text: string): string | undefined {
  switch (whyOutside(text)) {
    case "empty":
      return "Input path cannot be empty";
    case "nul":
      return "Input path cannot contain a NUL character";
    case "absolute":
      return `Input path cannot be absolute: ${text}`;
    case "leads-up":
      return `Input path cannot contain '..': ${text}`;
    case undefined:
      return undefined;
  }
}

/** Finds paths that are declared twice, or inside another declared directory. */
export function* findRepeatedPaths(inputs: unknown): Faults {
  const all = [...inputPathsOf(inputs)];
  if (all.length > MAX_INPUT_PATHS) {
    const message = `Too many input paths declared (maximum is ${MAX_INPUT_PATHS})`;
    yield { code: "input_path", path: "inputs", message };
  }
  const paths = all.slice(0, MAX_INPUT_PATHS).filter((path) => path.text.length <= MAX_PATH_LENGTH);
  const known = new Set<string>();
  for (const { at, text } of paths) {
    const plain = plainPath(text);
    if (known.has(plain)) {
      yield { code: "input_path", path: at, message: `Input path declared multiple times: ${text}` };
    }
    known.add(plain);
  }
  for (const { at, text } of paths) {
    const parent = ancestorsOf(plainPath(text)).find((ancestor) => known.has(ancestor));
    if (parent === undefined) continue;
    const message = `Duplicate input paths '${parent}' and '${text}' found. Please deduplicate inputs first.`;
    yield { code: "input_path", path: at, message };
  }
}

/** `a/b/c` → `a`, `a/b` */
function ancestorsOf(text: string): string[] {
  const parts = text.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}
