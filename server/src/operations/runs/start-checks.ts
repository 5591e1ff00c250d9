import type { Engine, RunRequest } from "#engines/engine";
import type { Operations } from "#operations/context";
import { Refusal } from "#plumbing/errors";
import type { Language } from "#workflow/language";
import { unsupportedOption } from "#workflow/specification/option-warnings";
import { isObject } from "#workflow/specification/shape";
import type { Specification, SpecificationWarning } from "#workflow/specification/specification";

/** Input of a run that is about to start. `name` is the full name, such as `w.1`. */
interface Start extends RunRequest {
  readonly name: string;
  readonly verb: "started" | "restarted" | "rerun";
}

/**
 * Refuses a start if it is clear that the run could not proceed, so that the caller need not learn it from a failed
 * run. Returns the engine that will drive the run.
 */
export function checkStart(context: Pick<Operations, "engines">, start: Start): Engine {
  const language = start.specification.workflow.type;
  const engine = engineFor(context, start, language);
  checkParameters(start.specification, start.parameters);
  checkOptions(language, start.options);
  checkWithEngine(engine, start);
  return engine;
}

/** Maximum number of faults in one report. */
const FAULTS_MAX = 100;

/** Returns what makes every start of this specification fail, each with its place in the document. */
export function findStartFaults(
  { engines }: Pick<Operations, "engines">,
  specification: Specification,
): SpecificationWarning[] {
  const engine = engines.get(specification.workflow.type);
  const problems = engine?.check({ specification, parameters: {}, options: {} }) ?? [];
  return problems.slice(0, FAULTS_MAX).map(({ path, message }) => ({ code: "start", path, message }));
}

function engineFor({ engines }: Pick<Operations, "engines">, start: Start, language: Language): Engine {
  const engine = engines.get(language);
  if (engine) return engine;
  throw new Refusal(
    "not-implemented",
    `Workflow ${start.name} could not be ${start.verb}: this server cannot run ${language} workflows ` +
      `(it runs: ${[...engines.keys()].join(", ")}).`,
    { errorCode: "language-not-supported" },
  );
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

function checkWithEngine(engine: Engine, { name, verb, ...input }: Start): void {
  const problems = engine.check(input);
  if (problems.length === 0) return;
  const sentences = problems.map((problem) => problem.message).join("\n");
  throw new Refusal("malformed", `Workflow ${name} could not be ${verb}. ${sentences}`);
}
