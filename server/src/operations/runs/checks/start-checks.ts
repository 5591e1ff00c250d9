import type { RunRequest } from "#engines/engine";
import { inWords, type Problem } from "#engines/problem";
import { findRefusedOptions } from "#operations/runs/checks/option-checks";
import { findUnreadableInputs } from "#operations/runs/checks/xrootd-checks";
import type { RunServices } from "#operations/runs/services";
import { maybeImageRefusal } from "#operations/runs/image-refusal";
import { Refusal } from "#plumbing/errors";
import { EngineFailure } from "#runner/engine/engine-runtime";
import type { Language } from "#workflow/language";
import { keepProblems } from "#workflow/run/kept-files";
import { retentionProblems } from "#workflow/run/retention";
import { findUnknownBackends } from "#workflow/specification/compute-backends";
import { findUnmetDemands } from "#workflow/specification/unmet-demands";
import { findEnvironments } from "#workflow/specification/environments";
import { unsupportedOption } from "#workflow/specification/option-warnings";
import { isObject } from "#workflow/specification/shape";
import type { Specification, SpecificationWarning } from "#workflow/specification/specification";

/** Input of a run that is about to start. `name` is the full name, such as `w.1`. */
interface Start extends RunRequest {
  readonly name: string;
  readonly verb: "started" | "restarted" | "rerun";
  /** The user subject to the policies. */
  readonly ownerId: string;
}

/** Refuses a start with no chance of success, to spare the caller a failed run. */
export async function checkStart(
  context: Pick<RunServices, "engines" | "capabilities" | "db">,
  start: Start,
): Promise<void> {
  const language = start.specification.workflow.type;
  const { runtime, readsDocuments } = engineFor(context, start, language);
  refuseProblems(start, [
    ...findUnknownBackends(start.specification, context.capabilities.backends),
    ...findUnmetDemands(start.specification, context.capabilities.backends),
    ...(await findRefusedOptions(start.specification, context.capabilities.backends)),
    ...(await findAbsentRepositories(context, start.specification)),
    ...findUnreadableInputs(start.specification),
  ]);
  if (!readsDocuments) checkParameters(start.specification, start.parameters);
  checkOptions(language, start.options);
  refuseProblems(start, [...keepProblems(start), ...retentionProblems(start.specification)]);
  await checkImages(context, start);
  const { name: _, verb: __, ownerId: ___, ...request } = start;
  refuseProblems(start, await askEngine(start, () => runtime.questionsOf(start.ownerId).check(request)));
}

/** Maximum number of reported faults. */
const FAULTS_MAX = 100;

/** Returns the faults that make every start of a specification fail, each with its place in the document. */
export async function findStartFaults(
  { engines }: Pick<RunServices, "engines">,
  ownerId: string,
  specification: Specification,
): Promise<SpecificationWarning[]> {
  const runtime = engines.get(specification.workflow.type)?.runtime;
  const request = { specification, parameters: {}, options: {} };
  const problems = (await runtime?.questionsOf(ownerId).check(request).catch(asProblem)) ?? [];
  return [
    ...faultsOf("retention", retentionProblems(specification)),
    ...faultsOf("start", [...keepProblems(request), ...problems]),
  ].slice(0, FAULTS_MAX);
}

function faultsOf(code: string, problems: Iterable<Problem>): SpecificationWarning[] {
  return Array.from(problems, ({ path, message }) => ({ code, path, message }));
}

function asProblem(error: unknown): Problem[] {
  if (!(error instanceof EngineFailure)) throw error;
  return [{ path: "workflow.specification", message: error.message }];
}

export type Started = Pick<Start, "name" | "verb">;

export type OwnedStart = Pick<Start, "name" | "verb" | "ownerId">;

const SNAKEMAKE_ADVICE =
  " To run them, run `reprise setup snakemake` on its machine and try again, or start the server with Snakemake in its PATH " +
  "or with --snakemake PROGRAM.";

export function engineFor({ engines }: Pick<RunServices, "engines">, start: Started, language: Language) {
  const engine = engines.get(language);
  if (engine) return engine;
  const advice = language === "snakemake" ? SNAKEMAKE_ADVICE : "";
  throw new Refusal(
    "not-implemented",
    `Workflow ${start.name} could not be ${start.verb}: this server cannot run ${language} workflows ` +
      `(it runs: ${[...engines.keys()].join(", ")}).${advice}`,
    { errorCode: "language-not-supported" },
  );
}

/** Refuses images forbidden for all jobs. In languages other than serial, images are named only by jobs. */
async function checkImages(
  context: Pick<RunServices, "capabilities" | "db">,
  { specification, ownerId }: Start,
): Promise<void> {
  const images = [...findEnvironments(specification)].map(({ image }) => image);
  const problem = await maybeImageRefusal(context, ownerId, images);
  if (problem !== undefined) throw new Refusal("malformed", problem);
}

/** Finds CVMFS repositories not available to jobs on the server's first backend. */
async function findAbsentRepositories(
  { capabilities }: Pick<RunServices, "capabilities">,
  { workflow }: Specification,
): Promise<Problem[]> {
  const [backend] = capabilities.backends;
  const names = isObject(workflow.resources) ? workflow.resources.cvmfs : undefined;
  const problems: Problem[] = [];
  for (const [index, name] of Array.isArray(names) ? [...new Set<unknown>(names)].entries() : []) {
    const message = typeof name === "string" ? await backend?.cvmfsProblem?.(name) : undefined;
    if (message !== undefined) problems.push({ path: `workflow.resources.cvmfs.${index}`, message });
  }
  return problems;
}

function checkParameters(specification: Specification, given: RunRequest["parameters"]): void {
  const unknown = Object.keys(given).find((name) => !isDeclared(specification, name));
  if (unknown !== undefined) {
    throw new Refusal("malformed", `Input parameter "${unknown}" is not present in reana.yaml`);
  }
}

export function isDeclared(specification: Specification, parameter: string): boolean {
  const declared: unknown = specification.inputs?.parameters;
  return isObject(declared) && Object.hasOwn(declared, parameter);
}

function checkOptions(language: Language, given: RunRequest["options"]): void {
  const problem = Object.keys(given)
    .map((name) => unsupportedOption(name, language))
    .find((sentence) => sentence !== undefined);
  if (problem !== undefined) throw new Refusal("malformed", `==> ERROR: ${problem}`);
}

/**
 * Calls the engine, and refuses the start if the engine fails: a request that it cannot judge within its
 * limits could not run either.
 */
export async function askEngine<Answer>(start: Started, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    throw cannotStart(start, [error.message], error);
  }
}

export function refuseProblems(start: Started, problems: readonly Problem[]): void {
  if (problems.length > 0) throw cannotStart(start, problems.slice(0, FAULTS_MAX).map(inWords));
}

function cannotStart({ name, verb }: Started, sentences: readonly string[], cause?: unknown): Refusal {
  return new Refusal("malformed", `Workflow ${name} could not be ${verb}. ${sentences.join("\n")}`, {
    cause,
  });
}
