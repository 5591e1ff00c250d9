import { messageOf } from "#plumbing/errors";
import { PRELUDE } from "#plumbing/javascript/prelude";
import { type Image, QuickJs, ScriptError, STEPS_PER_QUESTION, TOO_DEEP } from "#plumbing/javascript/quickjs";
import { compileQuickJs } from "#plumbing/javascript/quickjs-instance";

/**
 * Evaluates an expression. A pure function: equal libraries, sources and inputs give equal results, at any
 * time and on any machine. Therefore the budget is counted in the interpreter's steps and never in time.
 */
export type Evaluate = (expression: Expression) => Evaluation;

export interface Expression {
  readonly source: string;
  /** Variables that the source and the library see: plain JSON. */
  readonly input: Readonly<Record<string, unknown>>;
  /** A script that runs before the source and defines names for it; changes by the source are undone. */
  readonly library?: string;
  /** Limit on loops and calls. */
  readonly maxSteps?: number;
}

export type Evaluation =
  /** Plain JSON. */
  (
    | { readonly ok: true; readonly value: unknown }
    /** The reason is a clause: "it took more than 100 steps". */
    | { readonly ok: false; readonly reason: string }
  ) &
    Cost;

interface Cost {
  /**
   * The work in steps, equal at each repetition: the steps of source and library, a step for each character
   * of the input, and some for the evaluation itself. Absent if the interpreter cannot count.
   */
  readonly steps?: number;
}

/** An empty loop of 0.2 seconds, or a regular expression that backtracks for 3 seconds. */
const MAX_STEPS = 100_000_000;
/** Limit on the total size of cached library images. */
const IMAGES_MAX_BYTES = 64 * 2 ** 20;

/** Limit on the nesting of a result, so that every JSON parser can read the result. */
const NESTING_MAX = 500;

/**
 * Loads the JavaScript interpreter. Called in worker processes only, by engines that evaluate JavaScript.
 */
export async function loadJavaScript(): Promise<Evaluate> {
  const quickJs = new QuickJs(await compileQuickJs());
  const callee = quickJs.run(PRELUDE);
  const imageOf = libraryImages(quickJs);

  function evaluated(image: Image, maxSteps: number, source: string, json: string): Evaluation {
    try {
      quickJs.restore(image);
      const answer = quickJs.within(maxSteps, () => quickJs.call(callee, [source, json]));
      if (answer.startsWith("!")) return { ok: false, reason: answer.slice(1) };
      if (nestingOf(answer) > NESTING_MAX) return { ok: false, reason: TOO_DEEP };
      return { ok: true, value: JSON.parse(answer.slice(1)) as unknown };
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      return { ok: false, reason: messageOf(error) };
    }
  }

  return ({ source, input, library = "", maxSteps = MAX_STEPS }) => {
    const json = JSON.stringify(input);
    const { image, steps: ofLibrary } = imageOf(library);
    if (image instanceof ScriptError) return { ok: false, reason: image.message, steps: ofLibrary };
    const evaluation = evaluated(image, maxSteps, source, json);
    return { ...evaluation, steps: STEPS_PER_QUESTION + ofLibrary + quickJs.steps + json.length };
  };
}

/** Returns how deep the lists and objects of a JSON text are nested. */
function nestingOf(json: string): number {
  let deepest = 0;
  let depth = 0;
  let isInText = false;
  for (let index = 0; index < json.length; index += 1) {
    const char = json[index]!;
    if (char === '"') isInText = !isInText;
    else if (isInText) index += char === "\\" ? 1 : 0;
    else if (char === "[" || char === "{") deepest = Math.max(deepest, (depth += 1));
    else if (char === "]" || char === "}") depth -= 1;
  }
  return deepest;
}

/** The interpreter's state after a library was run, or how the library failed. */
interface LibraryImage {
  readonly image: Image | ScriptError;
  /** Counts for each evaluation, because another process may have to run the library again. */
  readonly steps: number;
}

function libraryImages(quickJs: QuickJs): (library: string) => LibraryImage {
  const empty = quickJs.takeImage();
  const kept = new Map<string, LibraryImage>([["", { image: empty, steps: 0 }]]);

  function run(library: string): Image | ScriptError {
    quickJs.restore(empty);
    try {
      quickJs.within(MAX_STEPS, () => quickJs.run(library));
      return quickJs.takeImage();
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      return new ScriptError(`its library failed: ${error.message}`);
    }
  }

  return (library) => {
    const known = kept.get(library) ?? { image: run(library), steps: quickJs.steps };
    // Least recently used order: the newest image is last. The image of the empty library stays first.
    if (library !== "") {
      kept.delete(library);
      kept.set(library, known);
      dropOldest(kept);
    }
    return known;
  };
}

function dropOldest(kept: Map<string, LibraryImage>): void {
  const sizeOf = (library: string, { image }: LibraryImage) =>
    library.length + (image instanceof ScriptError ? 0 : image.heap.length + image.data.length);
  let bytes = 0;
  for (const [library, image] of [...kept].toReversed()) {
    bytes += sizeOf(library, image);
    if (bytes > IMAGES_MAX_BYTES && library !== "") kept.delete(library);
  }
}
