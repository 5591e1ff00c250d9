import type { RunRequest } from "#engines/engine";
import type { Problem } from "#engines/problem";
import type { BackendChoice, Job } from "#workflow/job/job";
import { gpusIn } from "#workflow/job/gpus";
import type { Retries } from "#workflow/job/retries";
import { backendChoice } from "#engines/steps/backend-choice";
import {
  cvmfsMounts,
  cvmfsProblems,
  type Credentials,
  credentialChoice,
  userChoice,
  userProblems,
} from "#engines/steps/container-demands";
import { limitProblems, maybeCores, memoryBytes, timeLimitMs } from "#engines/steps/limits";
import {
  isIndependent,
  ON_FAILURE,
  onFailureOptionProblems,
  onFailureProblems,
} from "#engines/serial/on-failure";
import { RETRY_KEYS, retriesOf, retryProblems } from "#engines/steps/retries";
import { expand, type Expansion } from "#engines/serial/template";

/** An expanded command of a serial workflow. Each command becomes a job. */
export interface PlannedCommand {
  /** Position among the planned steps, as counted in the engine's log. */
  readonly stepIndex: number;
  readonly stepName: string;
  readonly command: string;
  readonly image: string | null;
  readonly timeLimitMs: number | null;
  readonly memoryBytes: number;
  /** If absent, the step names no limit. */
  readonly cores?: number;
  /** Number of whole devices. Default: 0. */
  readonly gpus?: number;
  /** Backend of the command. Default: the server's first backend. */
  readonly backend?: BackendChoice;
  readonly user?: Job["user"];
  /** Folders of CVMFS visible to all steps. */
  readonly mounts?: Job["mounts"];
  readonly credentials: Credentials;
  /** The command as written by the author, and the parameters used. */
  readonly template: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** All other keys of the step that affect the command's work: `environment`, `unpacked_img` … */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly retries: Retries;
  /** True if the step and its independent neighbours do not depend on each other (`on-failure.ts`). */
  readonly isIndependent: boolean;
  /** `step.command`, counted in the whole specification, and therefore independent of the part that runs. */
  readonly key: string;
}

export interface Plan {
  readonly commands: readonly PlannedCommand[];
  readonly stepCount: number;
  /** Number of commands in the whole specification: REANA's total, even if FROM and TARGET select some. */
  readonly commandCount: number;
  readonly notes: readonly string[];
}

/** A step with only the commands validated: other fields of a wrong type pass with a warning. */
interface SerialStep {
  readonly name?: unknown;
  readonly commands: readonly string[];
  readonly environment?: unknown;
  readonly kubernetes_job_timeout?: unknown;
  readonly kubernetes_memory_limit?: unknown;
  readonly kubernetes_cpu_limit?: unknown;
  readonly kubernetes_uid?: unknown;
  readonly kerberos?: unknown;
  readonly voms_proxy?: unknown;
  readonly rucio?: unknown;
  readonly retries?: unknown;
  readonly retry_delay?: unknown;
  readonly retry_on?: unknown;
  readonly on_failure?: unknown;
}

export function planOf(input: RunRequest): { plan: Plan; problems: readonly Problem[] } {
  const steps = stepsOf(input);
  const parameters = { ...objectOr(input.specification.inputs?.parameters), ...input.parameters };
  const options = optionsOf(input);
  const selection = select(steps, options);
  const problems: Problem[] = [...onFailureOptionProblems(options), ...cvmfsProblems(input.specification)];
  const mounts = cvmfsMounts(input.specification);
  const commands: PlannedCommand[] = [];
  selection.steps.forEach(({ step, index }, stepIndex) => {
    problems.push(
      ...limitProblems(step, index),
      ...retryProblems(step, index),
      ...userProblems(step, index),
      ...onFailureProblems(step, index),
    );
    const mayGoOn = isIndependent(step, options);
    step.commands.forEach((template, commandIndex) => {
      const expansion = expand(template, parameters);
      const source = { template, key: `${index}.${commandIndex}` };
      if (expansion.ok) {
        const command = planned(step, stepIndex, expansion, input);
        commands.push({ ...source, ...command, ...mounts, isIndependent: mayGoOn });
      } else problems.push(problemOf(expansion, step, index, commandIndex));
    });
  });
  const commandCount = steps.reduce((sum, step) => sum + step.commands.length, 0);
  return { plan: { commands, stepCount: steps.length, commandCount, notes: selection.notes }, problems };
}

function stepsOf(input: RunRequest): readonly SerialStep[] {
  const body = input.specification.workflow.specification as { steps?: readonly SerialStep[] } | undefined;
  return body?.steps ?? [];
}

export function optionsOf(input: RunRequest): Readonly<Record<string, unknown>> {
  return { ...objectOr(input.specification.inputs?.options), ...input.options };
}

function objectOr(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/**
 * Keys that set a command's resources, time limits and charged account. A finished command makes the same files
 * regardless of these keys, and a change never causes a rerun. Keys that choose a machine (`slurm_partition`) are not
 * included.
 */
export const RESOURCE_KEYS = [
  "kubernetes_cpu_request",
  "kubernetes_cpu_limit",
  "kubernetes_memory_request",
  "kubernetes_memory_limit",
  "kubernetes_job_timeout",
  "htcondor_max_runtime",
  "htcondor_accounting_group",
  "htcondor_request_cpus",
  "htcondor_request_memory",
  "htcondor_request_disk",
  "slurm_time",
  "slurm_account",
  "slurm_qos",
  "slurm_reservation",
  "c4p_cpu_cores",
  "c4p_memory_limit",
] as const;

const NO_SETTINGS: ReadonlySet<string> = new Set([
  "name",
  "commands",
  ON_FAILURE,
  ...RETRY_KEYS,
  ...RESOURCE_KEYS,
]);

/** Shared by all steps without settings: a plan may have a hundred thousand steps. */
const NONE: Readonly<Record<string, unknown>> = Object.freeze({});

function settingsOf(step: SerialStep): Readonly<Record<string, unknown>> {
  const settings = Object.entries(step).filter(([key]) => !NO_SETTINGS.has(key));
  return settings.length === 0 ? NONE : Object.fromEntries(settings);
}

function planned(
  step: SerialStep,
  stepIndex: number,
  { text, used }: Extract<Expansion, { ok: true }>,
  { specification, retries }: RunRequest,
) {
  const gpus = gpusIn({ ...step });
  return {
    stepIndex,
    stepName: textOf(step.name) ?? "",
    command: text,
    parameters: used,
    image: textOf(step.environment) ?? null,
    timeLimitMs: timeLimitMs(step),
    memoryBytes: memoryBytes(step),
    ...(maybeCores(step) !== undefined && { cores: maybeCores(step)! }),
    ...(gpus > 0 && { gpus }),
    ...backendChoice(step),
    ...userChoice(step),
    credentials: credentialChoice(step, specification),
    settings: settingsOf(step),
    retries: retriesOf(step, retries),
  };
}

function problemOf(
  expansion: Exclude<Expansion, { ok: true }>,
  step: SerialStep,
  stepIndex: number,
  commandIndex: number,
): Problem {
  const path = `workflow.specification.steps.${stepIndex}.commands.${commandIndex}`;
  const where = `Command ${commandIndex + 1} of step ${stepIndex + 1}${textOf(step.name) ? ` ("${textOf(step.name)}")` : ""}`;
  if (expansion.problem === "unknown") {
    const name = expansion.name;
    const message =
      `${where} uses the parameter "${name}", which is not defined. Define it under inputs.parameters, ` +
      `or write $$${name} if the shell is to expand it.`;
    return { path, message };
  }
  const message =
    `${where} holds an invalid placeholder at line ${expansion.line}, column ${expansion.column}: a "$" must begin ` +
    "$name or ${name}. To pass a literal $ to the shell, write $$.";
  return { path, message };
}

interface Selection {
  readonly steps: readonly { readonly step: SerialStep; readonly index: number }[];
  readonly notes: readonly string[];
}

/** Applies FROM and TARGET: an inclusive slice by step name, ignoring case. A name that no step has is ignored. */
function select(steps: readonly SerialStep[], options: Readonly<Record<string, unknown>>): Selection {
  const all = steps.map((step, index) => ({ step, index }));
  const from = indexOfStep(steps, options["FROM"]) ?? 0;
  const target = indexOfStep(steps, options["TARGET"]) ?? steps.length - 1;
  if (from > target) {
    return { steps: all, notes: ["The step FROM comes after the step TARGET: all steps are run."] };
  }
  return { steps: all.slice(from, target + 1), notes: [] };
}

function indexOfStep(steps: readonly SerialStep[], name: unknown): number | undefined {
  if (typeof name !== "string") return undefined;
  const index = steps.findIndex((step) => isStep(textOf(step.name), name));
  return index === -1 ? undefined : index;
}

/** Returns whether a step has the given name, ignoring case. */
export function isStep(stepName: string | undefined, named: string): boolean {
  return stepName?.toLowerCase() === named.toLowerCase();
}
