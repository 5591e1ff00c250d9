import { type Documents, locationOf, type Preparation } from "#engines/documents";
import type { RunRequest } from "#engines/engine";
import { inWords, type Problem } from "#engines/problem";
import { gpusIn } from "#engines/cwl/named-gpus";
import { imagesIn } from "#engines/cwl/named-images";
import { ancestorsOf, superclassesIn } from "#engines/cwl/documents/ontology";
import { DocumentSet, ReadingStopped, type Spot } from "#engines/cwl/documents/document-set";
import { isExpression, Reader } from "#engines/cwl/documents/reader";
import type { CwlModel, Process } from "#engines/cwl/model/model";
import { readOverrides, withOverrides } from "#engines/cwl/load/overrides";
import { ProcessLoader } from "#engines/cwl/load/process-loader";
import { allSteps, maybeStepPath } from "#engines/cwl/flow/from-step";
import { maybeTargeted, targetsOf } from "#engines/cwl/flow/target";
import { isMapping, type Mapping } from "#engines/cwl/model/json";
import type { KindOf } from "#engines/cwl/load/check-presence";
import { readJob } from "#engines/cwl/load/read-job";
import { unnamedFeatures } from "#engines/cwl/checks/unnamed-features";
import { checkLinks } from "#engines/cwl/checks/check-links";
import { type RemoteInput, remoteInputsOf } from "#workflow/specification/remote-inputs";

export interface PreparationOptions {
  /** Root folder of file paths in documents: `""` is the workspace, `/` the whole machine. */
  readonly root: "" | "/";
  /** Set if all inputs are known: missing inputs and missing files are refused. */
  readonly kindOf?: KindOf | undefined;
}

/** Makes the model of a workflow from its documents, or lists the documents needed next. */
export function prepareCwl(
  request: RunRequest,
  texts: Documents,
  { root, kindOf }: PreparationOptions = { root: "" },
): Preparation {
  const documents = new DocumentSet(texts, root);
  const reader = new Reader(documents, root, remoteInputsOf(request.specification.inputs));
  try {
    const model = readModel(reader, request, kindOf);
    if (documents.needed.length > 0) return { kind: "needs", documents: documents.needed };
    if (reader.problems.length > 0 || !model) return { kind: "refused", problems: reader.problems };
    const unknown = unknownStep(request, model);
    if (unknown) return { kind: "refused", problems: [unknown] };
    const target = targetOf(request);
    const part = target === undefined ? model : maybeTargeted(model, target);
    if (!part) return { kind: "refused", problems: [unknownTarget(target!, model)] };
    const plain = JSON.parse(JSON.stringify(part)) as CwlModel;
    const images = imagesIn(plain);
    const gpus = gpusIn(plain);
    return {
      kind: "ready",
      model: plain,
      ...(images.length > 0 && { images }),
      ...(gpus.length > 0 && { gpus }),
    };
  } catch (error) {
    if (!(error instanceof ReadingStopped)) throw error;
    if (error.problems.length === 0 && documents.needed.length > 0)
      return { kind: "needs", documents: documents.needed };
    return { kind: "refused", problems: [...reader.problems, ...error.problems] };
  }
}

/** The names of the option `TARGET`: REANA's clients send it as the option of cwltool. */
const TARGET_NAMES = ["TARGET", "--target"];

/** Returns the option `TARGET`, as REANA gives it to cwltool. Options of the start override the specification. */
function targetOf({ specification, options }: RunRequest): string | undefined {
  const declared = specification.inputs?.options;
  const given = [options, declared].flatMap((some) => (isMapping(some) ? Object.entries(some) : []));
  const target = given.find(([name]) => TARGET_NAMES.includes(name))?.[1];
  return typeof target === "string" && target !== "" ? target : undefined;
}

function unknownTarget(target: string, model: CwlModel): Problem {
  const known = targetsOf(model).slice(0, 20).join(", ") || "there is none";
  return {
    path: "inputs.options.TARGET",
    message: `The option TARGET is "${target}", which is no step and no output of the workflow (${known}).`,
  };
}

/** Refuses a restart from a step that the workflow does not have. */
function unknownStep({ restart }: RunRequest, model: CwlModel): Problem | undefined {
  const wanted = restart?.fromStep ?? null;
  if (wanted === null || maybeStepPath(model, wanted)) return undefined;
  const known = allSteps(model).map((path) => path.join("/"));
  const list = known.slice(0, 20).join(", ") || "it has none";
  return { path: "from_step", message: `There is no step "${wanted}" to start from (the steps: ${list}).` };
}

function readModel(reader: Reader, request: RunRequest, kindOf: KindOf | undefined): CwlModel | undefined {
  const loader = new ProcessLoader(reader);
  const main = loader.loadMain(request.specification.workflow);
  if (main === undefined) return undefined;
  const job = readJob(reader, request, loader.processes[main]!, loader.namespaces, kindOf);
  const overrides = job.overriding.flatMap((one) => readOverrides(reader, one));
  const processes = overrides.length === 0 ? loader.processes : withOverrides(reader, loader, overrides);
  const formats = formatsOf(reader, loader, processes, job.values);
  if (reader.documents.needed.length > 0 || reader.problems.length > 0) return undefined;
  for (const process of processes) {
    const { errors, warnings } = checkLinks(process, processes);
    reader.problems.push(...errors.map(({ at, message }) => reader.problemWith(at, message)));
    reader.warnings.push(...warnings.map(({ at, message }) => inWords(reader.problemWith(at, message))));
  }
  const unnamed = unnamedFeatures({ main, processes, around: job.requirements });
  reader.warnings.push(...unnamed.map(({ at, message }) => inWords(reader.problemWith(at, message))));
  const remoteInputs = usedInputs(reader, { main, processes, values: job.values });
  return {
    main,
    processes,
    job: job.values,
    ...(remoteInputs.length > 0 && { remoteInputs }),
    ...(job.document && { jobDocument: job.document }),
    jobRequirements: job.requirements,
    warnings: [...new Set(reader.warnings)],
    formats,
  };
}

/** Returns the addresses that the run needs: a default is not needed if the job gives another value. */
function usedInputs(
  { fetched }: Reader,
  { main, processes, values }: { main: number; processes: readonly Process[]; values: Mapping },
): readonly RemoteInput[] {
  if (fetched.size === 0) return [];
  const inputs = processes[main]!.inputs.map((input) =>
    values[input.name] === undefined ? input : { ...input, default: null },
  );
  const read = processes.map((process, index) => (index === main ? { ...process, inputs } : process));
  const text = JSON.stringify([read, values]);
  return [...fetched.values()].filter(({ path }) => text.includes(JSON.stringify(path)));
}

/** Finds the ancestors of all named formats. Skips the ontologies if no format, or only one fixed format, is named. */
function formatsOf(
  reader: Reader,
  loader: ProcessLoader,
  processes: readonly Process[],
  job: object,
): CwlModel["formats"] {
  const named = [
    ...JSON.stringify([processes, job]).matchAll(/"format":(?:"([^"]*)"|\["([^"]*)"(?:,"([^"]*)")*\])/g),
  ];
  const formats = new Set(named.flatMap((match) => match.slice(1)).filter((one) => one !== undefined));
  // A single format is always the wanted one. An expression may yield any format.
  if (formats.size === 0 || (formats.size === 1 && ![...formats].some(isExpression))) return {};
  const texts = loader.schemas.flatMap(({ reference, at }) => ontology(reader, reference, at));
  const superclasses = superclassesIn(texts);
  return Object.fromEntries([...formats].map((format) => [format, ancestorsOf(superclasses, format)]));
}

/** Reads an ontology. An unavailable ontology is only a warning, because equal formats need no ontology. */
function ontology(reader: Reader, reference: string, at: Spot): string[] {
  const place = locationOf(reference, reader.documents.documentOf(at.parent).location);
  const found = place.ok ? reader.documents.maybeOptional(place.location, at) : place;
  if (found === undefined) return [];
  if ("text" in found) return [found.text];
  if (found.reason === "") return [];
  const message = `${found.reason} Formats are compared by their names alone.`;
  reader.warnings.push(inWords(reader.documents.problem(at, message)));
  return [];
}
