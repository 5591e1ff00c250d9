import type { Problem } from "#engines/problem";

/**
 * The consequences of a failed command. `stop`: the run ends. `finish`: neighbouring steps with `finish` are
 * independent of the step and still run. A step with `stop` needs all steps before it, and does not run.
 */
const ON_FAILURE_WORDS = ["stop", "finish"] as const;

/** The key of a step, and the operational option for steps without the key. */
export const ON_FAILURE = "on_failure";

interface OnFailureStep {
  readonly [ON_FAILURE]?: unknown;
}

type Options = Readonly<Record<string, unknown>>;

/** Returns whether the step is independent of its independent neighbours. */
export function isIndependent(step: OnFailureStep, options: Options): boolean {
  return (step[ON_FAILURE] ?? options[ON_FAILURE]) === "finish";
}

export function* onFailureProblems(step: OnFailureStep, stepIndex: number): Generator<Problem> {
  const path = `workflow.specification.steps.${stepIndex}.${ON_FAILURE}`;
  yield* wordProblems(step[ON_FAILURE], path, `Step ${stepIndex + 1}: ${ON_FAILURE}`);
}

export function* onFailureOptionProblems(options: Options): Generator<Problem> {
  yield* wordProblems(options[ON_FAILURE], `inputs.options.${ON_FAILURE}`, `The option ${ON_FAILURE}`);
}

function* wordProblems(value: unknown, path: string, what: string): Generator<Problem> {
  if (value === undefined || ON_FAILURE_WORDS.some((word) => word === value)) return;
  const message = `${what} is ${JSON.stringify(value)}; it must be one of: ${ON_FAILURE_WORDS.join(", ")}.`;
  yield { path, message };
}

/** Failed commands, while independent steps continue. */
export interface Failures {
  /** Positions of the commands. */
  readonly positions: readonly number[];
  /** Sentences of the first failures. */
  readonly sentences: readonly string[];
}

/** Limits on the list of failures in the reason of a run. */
const LISTED_MAX = 10;
const SENTENCE_MAX_CHARACTERS = 300;

export function withFailure(before: Failures | undefined, position: number, sentence: string): Failures {
  const { positions, sentences } = before ?? { positions: [], sentences: [] };
  const short =
    sentence.length > SENTENCE_MAX_CHARACTERS ? `${sentence.slice(0, SENTENCE_MAX_CHARACTERS)} …` : sentence;
  return {
    positions: [...positions, position],
    sentences: sentences.length < LISTED_MAX ? [...sentences, short] : sentences,
  };
}

/** Returns the reason of the run: the failed commands, and the steps not run because they may need failed steps. */
export function reasonOf({ positions, sentences }: Failures, firstNotRun: string | undefined): string {
  const more = positions.length - sentences.length;
  return [
    ...(positions.length > 1 ? [`${positions.length} steps failed.`] : []),
    ...sentences,
    ...(more > 0 ? [`${more} more failed.`] : []),
    firstNotRun === undefined
      ? "All other steps have run."
      : `${firstNotRun} and what follows did not run, because they may need what failed.`,
  ].join(" ");
}
