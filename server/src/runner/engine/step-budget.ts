import type { Evaluate } from "#engines/engine";

/** About an hour of processor time. A scatter of 10,000 jobs with short expressions takes less than a billion steps. */
export const RUN_MAX_STEPS = 200_000_000_000;

/** The expressions of a run took too many steps. A replay of the run throws the error at the same place. */
export class BudgetExceeded extends Error {
  override readonly name = "BudgetExceeded";
}

/** The evaluation steps of one run's expressions. The number is part of the run's state. */
export interface StepBudget {
  /** Evaluates and counts. Throws `BudgetExceeded` if the run has taken too many steps. */
  readonly evaluate: Evaluate;
  steps(): number;
  /** Continues from a kept number. */
  restore(steps: number): void;
}

export function createStepBudget(evaluate: Evaluate, maxSteps = RUN_MAX_STEPS): StepBudget {
  let steps = 0;
  return {
    evaluate(expression) {
      const evaluation = evaluate(expression);
      steps += evaluation.steps ?? 0;
      if (steps > maxSteps) throw new BudgetExceeded(sentence(maxSteps));
      return evaluation;
    },
    steps: () => steps,
    restore: (kept) => void (steps = kept),
  };
}

function sentence(maxSteps: number): string {
  return (
    `The expressions of this run took more than ${maxSteps.toLocaleString("en")} steps together. ` +
    "Move long computations from expressions into the command of a step."
  );
}
