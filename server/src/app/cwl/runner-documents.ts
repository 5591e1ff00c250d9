import { statSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { maybeNamedTool } from "#app/cwl/named-tool";
import { fetchText } from "#app/cwl/runner-web";
import { readDocuments } from "#runner/engine/read-documents";
import type { CwlDocumentCall, CwlInputText } from "#cli/context";
import { prepareCwl } from "#engines/cwl/cwl-preparation";
import type { KindOf } from "#engines/cwl/load/check-presence";
import { OVERRIDES_FILE } from "#engines/cwl/load/overrides";
import { INPUT_FILE } from "#engines/cwl/load/read-job";
import type { CwlModel } from "#engines/cwl/model/model";
import { imagesIn } from "#engines/cwl/named-images";
import { isAddress, locationOf, referenceTo } from "#engines/documents";
import type { RunRequest } from "#engines/engine";
import { inWords, isUnsupported, type Problem } from "#engines/problem";
import { withoutImage } from "#operations/runs/checks/image-checks";
import { messageOf } from "#plumbing/errors";

/** Thrown if a workflow cannot be read, or needs features that this program lacks. */
export class UnusableWorkflow extends Error {
  readonly problems: readonly Problem[];
  /** True if the workflow is valid, and only asks for what is not supported. */
  readonly isUnsupported: boolean;

  /** A sentence stands for a problem without a place. */
  constructor(problems: readonly (Problem | string)[]) {
    const placed = problems.map((one) => (typeof one === "string" ? { path: "", message: one } : one));
    super(placed.map(inWords).join("\n"));
    this.problems = placed;
    this.isUnsupported = placed.every(isUnsupported);
  }
}

/** A request to run a document of this machine or of the web. */
export interface RunnerRequest {
  readonly request: RunRequest;
  /** Texts of the documents read so far, by location. Reading the workflow adds the documents that the workflow names. */
  readonly texts: Record<string, string>;
  /** The location of the document. */
  readonly location: string;
}

/** The name of standard input as a document. Paths in the document start from this folder. */
const STANDARD_INPUT = "(standard input)";

/** Returns the request to run a document. Local documents are named by their real paths. */
export async function requestFor(call: CwlDocumentCall): Promise<RunnerRequest> {
  const { document, inputFile, inputText } = call;
  const [file = "", fragment] = document.split("#", 2);
  const location = await locationFor(file);
  const texts: Record<string, string> = {};
  if (inputFile === undefined) {
    texts[location] = await readOrRefuse(location);
    const tool = maybeNamedTool(texts[location], location);
    if (tool !== undefined) return requestFor({ ...call, document: tool, inputFile: file });
  }
  const inputs = inputFile && (inputText ? await adopted(inputText, texts) : await locationFor(inputFile));
  const reference = referenceOf(location);
  const parameters = {
    ...(inputs !== undefined && { [INPUT_FILE]: referenceOf(inputs) }),
    ...(call.overrides !== undefined && { [OVERRIDES_FILE]: referenceOf(await locationFor(call.overrides)) }),
  };
  const request = {
    specification: {
      workflow: { type: "cwl", file: fragment === undefined ? reference : `${reference}#${fragment}` },
      inputs: { parameters },
    },
    parameters: {},
    options: {},
  } as const;
  return { request, texts, location };
}

/** Returns the location of a file that a person named by path or by address. */
async function locationFor(named: string): Promise<string> {
  if (isAddress(named)) {
    const place = locationOf(named, null);
    if (place.ok) return place.location;
    throw new UnusableWorkflow([place.reason]);
  }
  try {
    const file = named.startsWith("file://") ? fileURLToPath(named) : named;
    return (await realpath(file)).slice(1);
  } catch (error) {
    throw new UnusableWorkflow([`${named} cannot be read: ${messageOf(error)}.`]);
  }
}

/** Stores inputs without a file of their own as a document, and returns its location. */
async function adopted({ text, folder }: CwlInputText, texts: Record<string, string>): Promise<string> {
  const location = path.posix.join(await realpath(folder), STANDARD_INPUT).slice(1);
  texts[location] = text.trim() === "" ? "{}" : text;
  return location;
}

function referenceOf(location: string): string {
  return isAddress(location) ? location : referenceTo(location);
}

/** Reads inputs outside of the documents, once the workflow is known without inputs. */
export type ReadInputs = (bare: CwlModel) => RunRequest["parameters"];

interface Reading {
  readonly readInputs?: ReadInputs;
  /** True if all inputs are known: missing inputs and absent files are refused. */
  readonly isWhole: boolean;
}

/** Reads a workflow with all its documents. Locations are absolute paths without their first slash, or addresses. */
export async function readWorkflow(
  { request, texts }: Pick<RunnerRequest, "request" | "texts">,
  { readInputs, isWhole }: Reading,
): Promise<CwlModel> {
  const bare = await prepared(request, texts);
  if (!isWhole) return bare;
  const parameters = readInputs?.(bare) ?? {};
  return prepared({ ...request, parameters }, texts, kindOf);
}

function kindOf(file: string): ReturnType<KindOf> {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) return "nothing";
  return found.isDirectory() ? "folder" : "file";
}

async function prepared(
  request: RunRequest,
  texts: Record<string, string>,
  look?: KindOf,
): Promise<CwlModel> {
  const options = { root: "/", kindOf: look } as const;
  const made = await readDocuments(texts, (all) => prepareCwl(request, all, options), read);
  if (made.kind === "refused") throw new UnusableWorkflow(made.problems);
  return made.model as CwlModel;
}

async function readOrRefuse(location: string): Promise<string> {
  try {
    return await read(location);
  } catch (error) {
    throw new UnusableWorkflow([messageOf(error)]);
  }
}

async function read(location: string): Promise<string> {
  if (isAddress(location)) return fetchText(location);
  try {
    return await readFile(`/${location}`, "utf8");
  } catch (error) {
    throw new Error(`/${location} cannot be read: ${messageOf(error)}.`, { cause: error });
  }
}

/** Refuses a workflow that requires a container. As a hint, an image is only a recommendation. */
export function refuseContainers(model: CwlModel): void {
  const needing = imagesIn(model).find(({ isRequired }) => isRequired);
  if (needing === undefined) return;
  throw new UnusableWorkflow([
    `Unsupported: ${needing.who} requires a container (DockerRequirement), and its commands would start on this machine. Use --podman.`,
  ]);
}

/** Refuses a workflow whose commands would run in containers of Singularity. */
export function refuseSingularity(model: CwlModel): void {
  const naming = imagesIn(model)[0];
  if (naming === undefined) return;
  throw new UnusableWorkflow([
    `Unsupported: --singularity: ${naming.who} names an image, and containers of Singularity or Apptainer are not started. ` +
      "Use --podman, or --no-container to start commands on this machine, where an image that is a hint is not used.",
  ]);
}

/** Refuses a workflow that requires a container and names no image. */
export function refuseUnnamed(model: CwlModel): void {
  const unnamed = imagesIn(model).filter(({ image, isRequired }) => image === null && isRequired);
  if (unnamed.length > 0) throw new UnusableWorkflow(unnamed.map(({ who }) => withoutImage(who)));
}
