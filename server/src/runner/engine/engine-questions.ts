import type { Documents, Preparation } from "#engines/documents";
import type { DryRunJob, DryRunResult, Printed } from "#engines/dry-run";
import type { Ask, Engine, EngineInput, Leftovers, RunRequest, Stamped } from "#engines/engine";
import type { Problem } from "#engines/problem";
import type { Judgement } from "#engines/reuse";

/**
 * Questions to an engine, answered where it runs: in this process for serial, in a worker process for engines with
 * expressions. They concern a request to run, before a start and for the plan of a restart, and need no session.
 */
export interface EngineQuestions {
  check(request: RunRequest): Promise<readonly Problem[]>;
  /** Makes the model of an engine that reads documents. Other engines need only the specification. */
  prepare(request: RunRequest, documents: Documents): Promise<Preparation>;
  /**
   * Returns the question whose answer decides about reuse. Undefined if restarts in this language never reuse
   * results.
   */
  maybeReuseAsk(request: RunRequest): Promise<Extract<Ask, { do: "stamp" }> | undefined>;
  judge(request: RunRequest, stamped: Stamped | undefined): Promise<readonly Judgement[]>;
  leftovers(request: RunRequest, stamped: Stamped | undefined): Promise<Leftovers>;
  /** Returns the job for the dry run of a restart. Undefined if the engine needs no dry run. */
  maybeDryRun(input: EngineInput): Promise<DryRunJob | undefined>;
  readDryRun(input: EngineInput, printed: Printed): Promise<DryRunResult>;
}

/** A question, as it is sent to another process. */
export type Question = {
  readonly [Name in keyof EngineQuestions]: {
    readonly name: Name;
    readonly values: Parameters<EngineQuestions[Name]>;
  };
}[keyof EngineQuestions];

export function askingBy(ask: (question: Question) => Promise<unknown>): EngineQuestions {
  return {
    check: (...values) => ask({ name: "check", values }) as ReturnType<EngineQuestions["check"]>,
    prepare: (...values) => ask({ name: "prepare", values }) as ReturnType<EngineQuestions["prepare"]>,
    maybeReuseAsk: async (...values) =>
      ((await ask({ name: "maybeReuseAsk", values })) ?? undefined) as Awaited<
        ReturnType<EngineQuestions["maybeReuseAsk"]>
      >,
    judge: (...values) => ask({ name: "judge", values }) as ReturnType<EngineQuestions["judge"]>,
    leftovers: (...values) => ask({ name: "leftovers", values }) as ReturnType<EngineQuestions["leftovers"]>,
    maybeDryRun: async (...values) =>
      ((await ask({ name: "maybeDryRun", values })) ?? undefined) as DryRunJob | undefined,
    readDryRun: (...values) =>
      ask({ name: "readDryRun", values }) as ReturnType<EngineQuestions["readDryRun"]>,
  };
}

/** Replies to a question in the process in which the engine runs. */
export function answerQuestion(engine: Engine, question: Question): unknown {
  switch (question.name) {
    case "check":
      return engine.check(...question.values);
    case "prepare":
      return engine.prepare?.(...question.values) ?? ({ kind: "ready", model: null } satisfies Preparation);
    case "maybeReuseAsk":
      return engine.reuse?.ask(...question.values);
    case "judge":
      return engine.reuse?.judge(...question.values) ?? [];
    case "leftovers":
      return engine.reuse?.leftovers(...question.values) ?? { made: [], perhapsMade: [] };
    case "maybeDryRun":
      return engine.dryRun?.job(...question.values);
    case "readDryRun":
      return (
        engine.dryRun?.read(...question.values) ?? ({ jobs: [], isComplete: true } satisfies DryRunResult)
      );
  }
}
