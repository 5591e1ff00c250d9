import type { Problem } from "#engines/problem";
import { type Decision, fact } from "#workflow/job/decision";
import { type EndReason, type JobEnd, succeeded } from "#workflow/job/job";
import {
  type Retries,
  RETRIES_MAX,
  RETRY_DELAY_MAX_SECONDS,
  RETRY_REASONS,
  STEP_RETRY_REASONS,
} from "#workflow/job/retries";

/** Keys that control the retries of a step's command. All other keys affect the command's work. */
export const RETRY_KEYS = ["retries", "retry_delay", "retry_on"] as const;

type RetryStep = { readonly [Key in (typeof RETRY_KEYS)[number]]?: unknown };

/** Shared by all steps without retries: a plan may have a hundred thousand steps. */
const NEVER: Retries = { most: 0, delayMs: 0, after: STEP_RETRY_REASONS };

/**
 * Returns the retries of a step. A step that sets any of the keys ignores all defaults. REANA reports the keys as
 * unknown and tries once.
 */
export function retriesOf(step: RetryStep, byDefault: Retries = NEVER): Retries {
  if (!RETRY_KEYS.some((key) => Object.hasOwn(step, key))) return byDefault;
  return {
    most: Number(step.retries ?? 0),
    delayMs: Number(step.retry_delay ?? 0) * 1000,
    after: (step.retry_on as readonly EndReason[] | undefined) ?? STEP_RETRY_REASONS,
  };
}

export function* retryProblems(step: RetryStep, stepIndex: number): Generator<Problem> {
  const path = (key: string) => `workflow.specification.steps.${stepIndex}.${key}`;
  const refuse = (key: keyof RetryStep, wanted: string): Problem => ({
    path: path(key),
    message: `Step ${stepIndex + 1}: ${key} is ${JSON.stringify(step[key])}; it must be ${wanted}.`,
  });
  if (!isBetween(step.retries, RETRIES_MAX) || !Number.isInteger(step.retries ?? 0))
    yield refuse("retries", `a whole number from 0 to ${RETRIES_MAX}`);
  if (!isBetween(step.retry_delay, RETRY_DELAY_MAX_SECONDS))
    yield refuse("retry_delay", `a number of seconds from 0 to ${RETRY_DELAY_MAX_SECONDS}`);
  const reasons: unknown = step.retry_on ?? [];
  if (!Array.isArray(reasons) || !reasons.every((one) => RETRY_REASONS.some((reason) => reason === one)))
    yield refuse("retry_on", `a list of some of: ${RETRY_REASONS.join(", ")}`);
}

function isBetween(value: unknown, most: number): boolean {
  return value === undefined || (typeof value === "number" && value >= 0 && value <= most);
}

export function mayRetry({ most, after }: Retries, end: JobEnd, attempt: number): boolean {
  return !succeeded(end) && attempt <= most && after.includes(end.reason);
}

/** The next attempt of a failed job. */
export interface Retry {
  readonly attempt: number;
  readonly delayMs: number;
  /** The decision to run the job again, because of the end of its last attempt. */
  readonly why: Decision;
  /** A line for the run's log. */
  readonly line: string;
}

/** Returns the next attempt after an ended attempt. The sentence describes the end. */
export function nextAttempt(
  { most, delayMs: first }: Retries,
  end: JobEnd,
  last: number,
  sentence: string,
): Retry {
  const attempt = last + 1;
  const delayMs = Math.min(first * 2 ** (last - 1), RETRY_DELAY_MAX_SECONDS * 1000);
  const line = `${sentence} It is retried (attempt ${attempt} of ${most + 1}), after ${delayMs / 1000} s.`;
  const facts = [fact("reason", null, end.reason), fact("exit_code", null, end.exitCode)];
  return { attempt, delayMs, why: { kind: "retried", facts, sentence }, line };
}
