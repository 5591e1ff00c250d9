import { type BackendCapabilities, computeBackendsOf } from "#workflow/capabilities";
import { type Faults, isObject, joinPath } from "#workflow/specification/shape";
import type { Specification } from "#workflow/specification/specification";
import { listIn, nameAt, pathOfStep } from "#workflow/specification/step-parameters";
import { stagesIn } from "#workflow/specification/yadage-warnings";

/** A step, and the value of its `compute_backend`. */
interface Request {
  readonly step: string;
  readonly backend: unknown;
  readonly path: string;
}

/** Finds steps that ask for a compute backend that is not there, in REANA's words. */
export function* findUnknownBackends(
  { workflow }: Pick<Specification, "workflow">,
  backends: readonly BackendCapabilities[],
): Faults {
  const supported = computeBackendsOf(backends);
  for (const { step, backend, path } of requestsIn(workflow)) {
    if (typeof backend !== "string" || backend === "" || supported.includes(backend)) continue;
    const message =
      `Compute backend "${backend}" found in step "${step}" is not supported. ` +
      `List of supported compute backends: "${supported.join(", ")}"`;
    yield { code: "compute_backend", path, message };
  }
}

/** Returns the requests in a specification. Except in serial, it is what the client has parsed, if it has. */
function requestsIn({ type, specification }: Specification["workflow"]): Iterable<Request> {
  switch (type) {
    case "serial":
    case "snakemake":
      return stepRequests(specification);
    case "yadage":
      return stageRequests(specification);
    case "cwl":
      return hintRequests(specification);
    default:
      return [];
  }
}

function* stepRequests(specification: unknown): Iterable<Request> {
  for (const [index, step] of listIn(specification, "steps").entries()) {
    const path = joinPath(pathOfStep("steps", index), "compute_backend");
    yield { step: nameAt(step, index), backend: step.compute_backend, path };
  }
}

function* stageRequests(specification: unknown): Iterable<Request> {
  for (const [index, stage] of stagesIn(specification).entries()) {
    const scheduler = isObject(stage.scheduler) ? stage.scheduler : {};
    const environment = isObject(scheduler.step) ? scheduler.step.environment : undefined;
    const asking = listIn(environment, "resources").find((resource) => "compute_backend" in resource);
    const path = pathOfStep("stages", index);
    yield { step: nameAt(stage, index), backend: asking?.compute_backend, path };
  }
}

/** Yields the hint `reana` of each process of a packed document, and of each of its steps. */
function* hintRequests(specification: unknown): Iterable<Request> {
  const graph = isObject(specification) ? (specification.$graph ?? specification) : [];
  for (const process of [graph].flat().filter(isObject)) {
    for (const one of [process, ...entriesOf(process.steps, "id")]) {
      const hint = entriesOf(one.hints, "class").find((entry) => entry.class === "reana");
      const step = typeof one.id === "string" ? one.id.replace(/^#/, "") : "";
      yield { step, backend: hint?.compute_backend, path: "workflow.specification" };
    }
  }
}

/** Returns the entries of what CWL lets authors write as a list or as a map, whose keys are then the entries' names. */
function entriesOf(written: unknown, name: "id" | "class"): Record<string, unknown>[] {
  if (Array.isArray(written)) return written.filter(isObject);
  const named = Object.entries(isObject(written) ? written : {});
  return named.flatMap(([key, value]) => (isObject(value) ? [{ ...value, [name]: key }] : []));
}
