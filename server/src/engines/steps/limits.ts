import type { Problem } from "#engines/problem";
import { maybeMemoryBytes } from "#workflow/job/memory-size";
import { CONDOR_CPUS, CONDOR_SIZE } from "#workflow/specification/condor-amounts";

/** Limits of REANA enforced on every backend, and requests read by other backends. */
export interface LimitedStep {
  readonly kubernetes_job_timeout?: unknown;
  readonly kubernetes_memory_limit?: unknown;
  readonly kubernetes_cpu_limit?: unknown;
  readonly kubernetes_cpu_request?: unknown;
  readonly kubernetes_memory_request?: unknown;
  readonly htcondor_request_cpus?: unknown;
  readonly htcondor_request_memory?: unknown;
  readonly htcondor_request_disk?: unknown;
}

/** Returns the time limit of a step, given in seconds in REANA; null if there is no limit. */
export function timeLimitMs({ kubernetes_job_timeout: seconds }: LimitedStep): number | null {
  return isTimeout(seconds) ? Number(seconds) * 1000 : null;
}

export function memoryBytes({ kubernetes_memory_limit: limit }: LimitedStep): number {
  return maybeMemoryBytes(limit) ?? 0;
}

/** Returns the limit of a step's cores. Undefined if there is no limit. */
export function maybeCores({ kubernetes_cpu_limit: limit }: LimitedStep): number | undefined {
  return coresIn(limit);
}

/** Reads a number of cores in REANA's notation: `2`, `0.5`, or `500m` in whole thousandths. */
function coresIn(value: unknown): number | undefined {
  const text = textIn(value);
  const [, digits, milli] = /^(\d+(?:\.\d+)?|\.\d+|\d+(m))$/.exec(text) ?? [];
  const cores = Number.parseFloat(digits ?? "") / (milli ? 1000 : 1);
  return cores > 0 ? cores : undefined;
}

function textIn(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

const A_SIZE = "an amount such as 256 MB, 2 GB or 1000000";
const MEMORY = "an amount of memory such as 256Mi, 1.5G or 1000000";
const CORES = "a number of cores such as 2, 0.5 or 500m";

/** Each limit and request, the check of its value, and the required form. */
const FORMS: readonly (readonly [keyof LimitedStep, (value: unknown) => boolean, string])[] = [
  ["kubernetes_job_timeout", isTimeout, "a number of seconds above 0"],
  ["kubernetes_memory_limit", isMemory, MEMORY],
  ["kubernetes_cpu_limit", isCores, CORES],
  ["kubernetes_memory_request", isMemory, MEMORY],
  ["kubernetes_cpu_request", isCores, CORES],
  ["htcondor_request_cpus", (value) => CONDOR_CPUS.test(textIn(value)), "a whole number of cores above 0"],
  ["htcondor_request_memory", (value) => CONDOR_SIZE.test(textIn(value)), A_SIZE],
  ["htcondor_request_disk", (value) => CONDOR_SIZE.test(textIn(value)), A_SIZE],
];

/** Refuses a start with an unreadable limit: a job must not run without its author's limits. */
export function* limitProblems(step: LimitedStep, stepIndex: number): Generator<Problem> {
  for (const [key, isGood, wanted] of FORMS) {
    if (step[key] === undefined || isGood(step[key])) continue;
    yield {
      path: `workflow.specification.steps.${stepIndex}.${key}`,
      message: `Step ${stepIndex + 1}: ${key} is ${JSON.stringify(step[key])}; it must be ${wanted}.`,
    };
  }
}

function isCores(value: unknown): boolean {
  return coresIn(value) !== undefined;
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
