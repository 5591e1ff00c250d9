import { nextAttempt } from "#engines/steps/retries";
import { breaking } from "./break-module.ts";
import type { Mutant } from "./mutant.ts";

/** Mutants of the engines of CWL and Yadage. */
export const LANGUAGE_MUTANTS: readonly Mutant[] = [
  {
    name: "begins a step of CWL before what it needs is there",
    breaks: breaking(
      () => import("#engines/cwl/flow/gather"),
      () => ({ isSupplied: () => true }),
    ),
    caughtBy: ["scenarios"],
  },
  {
    name: "leaves out the last task of a scatter of CWL",
    breaks: breaking(
      () => import("#engines/cwl/flow/scatter"),
      ({ widthOf }) => ({ widthOf: (shape) => widthOf(shape) - (shape.length > 0 ? 1 : 0) }),
    ),
    caughtBy: ["scenarios"],
  },
  {
    name: "gives all tasks of a scatter of CWL the first item",
    breaks: breaking(
      () => import("#engines/cwl/flow/scatter"),
      ({ taskInputs }) => ({ taskInputs: (step, inputs, shape) => taskInputs(step, inputs, shape, 0) }),
    ),
    caughtBy: ["scenarios"],
  },
  {
    name: "continues after a task of CWL that has failed",
    breaks: breaking(
      () => import("#engines/cwl/flow/retries"),
      () => ({
        maybeRetry: (_options, _place, end, attempt, sentence) =>
          nextAttempt({ most: 9, delayMs: 0, after: [] }, end, attempt, sentence),
      }),
    ),
    caughtBy: ["scenarios"],
  },
  {
    name: "finds nothing that an earlier run has done",
    breaks: breaking(
      () => import("#engines/contents-decisions"),
      ({ judgeReusable }) => ({ judgeReusable: (_found, judging) => judgeReusable(null, judging) }),
    ),
    caughtBy: ["scenarios"],
  },
  {
    name: "takes over the result of another run that read other files",
    breaks: breaking(
      () => import("#workflow/job/job-contents"),
      () => ({ differs: () => false }),
    ),
    caughtBy: ["scenarios"],
  },
  {
    name: "applies a stage of Yadage before what it depends on",
    breaks: breaking(
      () => import("#engines/yadage/stages/predicates"),
      () => ({ verdictOn: () => ({ kind: "applicable" }) }),
    ),
    caughtBy: ["scenarios"],
  },
  {
    name: "leaves out the last node of a stage of Yadage",
    breaks: breaking(
      () => import("#engines/yadage/stages/expand"),
      ({ countOf }) => ({ countOf: (sets) => countOf(sets) - (sets.kind === "one" ? 0 : 1) }),
    ),
    caughtBy: ["scenarios"],
  },
  {
    name: "gives all nodes of a stage of Yadage the same parameters",
    breaks: breaking(
      () => import("#engines/yadage/stages/expand"),
      ({ parametersAt }) => ({ parametersAt: (sets) => parametersAt(sets, 0) }),
    ),
    caughtBy: ["scenarios"],
  },
  {
    name: "counts a node of Yadage that has failed as a success",
    breaks: breaking(
      () => import("#engines/yadage/flow/nodes"),
      ({ succeed }) => ({ failNode: (progress, number) => succeed(progress, number) }),
    ),
    caughtBy: ["scenarios"],
  },
];
