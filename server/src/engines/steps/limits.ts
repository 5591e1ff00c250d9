import type { Problem } from "#engines/problem";
import { maybeMemoryBytes } from "#workflow/job/memory-size";

/** The limits of REANA that hold on every backend. */
export interface LimitedStep {
  readonly kubernetes_job_timeout?: unknown;
  readonly kubernetes_memory_limit?: unknown;
  readonly kubernetes_cpu_limit?: unknown;
}

/** Returns the time limit of a step, which REANA writes in seconds; null if the step has none. */
export function timeLimitMs({ kubernetes_job_timeout: seconds }: LimitedStep): number | null {
  return isTimeout(seconds) ? Number(seconds) * 1000 : null;
}

export function memoryBytes({ kubernetes_memory_limit: limit }: LimitedStep): number {
  return maybeMemoryBytes(limit) ?? 0;
}

/** Returns the limit of a step's cores, which REANA writes as `0.5` or `500m`; undefined if the step has none. */
export function maybeCores({ kubernetes_cpu_limit: limit }: LimitedStep): number | undefined {
  const text = typeof limit === "number" ? String(limit) : limit;
  const [, digits, milli] = typeof text === "string" ? (/^(\d+(?:\.\d+)?|\.\d+)(m?)$/.exec(text) ?? []) : [];
  const cores = Number(digits) / (milli ? 1000 : 1);
  return cores > 0 ? cores : undefined;
}

/** Refuses a start if a limit cannot be read: a job must not run without a limit that its author asked for. */
export function* limitProblems(step: LimitedStep, stepIndex: number): Generator<Problem> {
  const refuse = (key: keyof LimitedStep, wanted: string): Problem => ({
    path: `workflow.specification.steps.${stepIndex}.${key}`,
    message: `Step ${stepIndex + 1}: ${key} is ${JSON.stringify(step[key])}; it must be ${wanted}.`,
  });
  if (step.kubernetes_job_timeout !== undefined && !isTimeout(step.kubernetes_job_timeout))
    yield refuse("kubernetes_job_timeout", "a number of seconds above 0");
  if (step.kubernetes_memory_limit !== undefined && !isMemory(step.kubernetes_memory_limit))
    yield refuse("kubernetes_memory_limit", "an amount of memory such as 256Mi, 1.5G or 1000000");
  if (step.kubernetes_cpu_limit !== undefined && maybeCores(step) === undefined)
    yield refuse("kubernetes_cpu_limit", "a number of cores such as 2, 0.5 or 500m");
}

/** Accepts `60` and `"60"`. */
function isTimeout(value: unknown): boolean {
  const isText = typeof value === "string" && value.trim() !== "";
  const seconds = isText || typeof value === "number" ? Number(value) : NaN;
  return Number.isFinite(seconds) && seconds > 0;
}

function isMemory(value: unknown): boolean {
  return (typeof value === "string" || typeof value === "number") && maybeMemoryBytes(value) !== undefined;
}
