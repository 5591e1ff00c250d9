import { SOME_RUN } from "#engines/contract-suite";
import type { EngineEvent, EngineInput } from "#engines/engine";
import type { Specification } from "#workflow/specification/specification";

interface SurveyChange {
  readonly list?: string;
  readonly script?: string;
  readonly when?: string;
  readonly library?: string;
  /** True if the visits stage files, start in separate folders and redirect their output. */
  readonly stages?: true;
}

/** Returns a workflow for the tests' engine: a visit to each line of a file, then more if the visits left anything. */
export function surveySpecification(change: SurveyChange = {}): Specification {
  const survey = {
    list: "list.txt",
    script: '["join","visit ",["get","item"]]',
    when: '["more",["get","count"],0]',
    ...change,
  };
  return { workflow: { type: "cwl", specification: survey } };
}

export function surveyOf(change: SurveyChange): EngineInput {
  return { specification: surveySpecification(change), parameters: {}, options: {}, run: SOME_RUN };
}

/** The events of a survey up to its first visit. The visit's script is evaluated next. */
export const UNTIL_FIRST_VISIT: readonly EngineEvent[] = [
  { kind: "looked", id: "look", files: [{ path: "list.txt", kind: "file", bytes: 4 }] },
  { kind: "read", id: "list", text: "a\nb\n", bytes: 4 },
  { kind: "written", id: "settings" },
  { kind: "told", id: "tell" },
  { kind: "heard", id: "hear", lines: ["1 one", "2 two"], to: 12 },
];
