import { readFile, realpath } from "node:fs/promises";
import { maybeNamedTool } from "#app/cwl/named-tool";
import { readDocuments } from "#runner/engine/read-documents";
import type { CwlDocumentCall } from "#cli/context";
import { prepareCwl } from "#engines/cwl/cwl-preparation";
import { INPUT_FILE } from "#engines/cwl/documents/read-job";
import type { CwlModel, InputParameter } from "#engines/cwl/model/model";
import { imagesIn } from "#engines/cwl/named-images";
import { isAddress } from "#engines/documents";
import type { RunRequest } from "#engines/engine";
import { inWords, isUnsupported, type Problem } from "#engines/problem";
import { withoutImage } from "#operations/runs/start/image-checks";
import { messageOf } from "#plumbing/errors";

const BYTES_MAX = 16 << 20;
const FETCH_MAX_MS = 30_000;

/** Thrown if a workflow cannot be read, or needs what this program does not have. */
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

/** Returns the request to run a document. The documents of a request are named by their real paths. */
export async function requestFor({ document, inputFile }: CwlDocumentCall): Promise<RunRequest> {
  const [file = "", fragment] = document.split("#", 2);
  const location = await locationOf(file);
  const tool = inputFile === undefined ? await maybeNamedTool(`/${location}`) : undefined;
  if (tool !== undefined) return requestFor({ document: tool, inputFile: file });
  return {
    specification: {
      workflow: { type: "cwl", file: fragment === undefined ? location : `${location}#${fragment}` },
      inputs: { parameters: inputFile === undefined ? {} : { [INPUT_FILE]: await locationOf(inputFile) } },
    },
    parameters: {},
    options: {},
  };
}

/** Returns the real path without its first slash. */
async function locationOf(file: string): Promise<string> {
  try {
    return (await realpath(file)).slice(1);
  } catch (error) {
    throw new UnusableWorkflow([`${file} cannot be read: ${messageOf(error)}.`]);
  }
}

/** Reads the inputs that are not part of the documents, once the workflow's parameters are known. */
export type ReadInputs = (parameters: readonly InputParameter[]) => RunRequest["parameters"];

const NO_INPUTS: ReadInputs = () => ({});

/** Reads a workflow with all its documents from this machine. Locations are absolute paths without their first slash. */
export async function readWorkflow(
  request: RunRequest,
  readInputs: ReadInputs = NO_INPUTS,
): Promise<CwlModel> {
  const texts: Record<string, string> = {};
  const bare = await prepared(request, texts);
  const parameters = readInputs(bare.processes[bare.main]!.inputs);
  const hasInputs = Object.keys(parameters).length > 0;
  return hasInputs ? prepared({ ...request, parameters }, texts) : bare;
}

async function prepared(request: RunRequest, texts: Record<string, string>): Promise<CwlModel> {
  const made = await readDocuments(texts, (all) => prepareCwl(request, all, { root: "/" }), read);
  if (made.kind === "refused") throw new UnusableWorkflow(made.problems);
  return made.model as CwlModel;
}

async function read(location: string): Promise<string> {
  const shown = isAddress(location) ? location : `/${location}`;
  try {
    return isAddress(location) ? await fetched(location) : await readFile(shown, "utf8");
  } catch (error) {
    throw new Error(`${shown} cannot be read: ${messageOf(error)}.`, { cause: error });
  }
}

async function fetched(address: string): Promise<string> {
  const reply = await fetch(address, { signal: AbortSignal.timeout(FETCH_MAX_MS) });
  if (!reply.ok) throw new Error(`the server answered ${reply.status}`);
  const text = await reply.text();
  if (text.length > BYTES_MAX) throw new Error(`it is larger than ${BYTES_MAX} bytes`);
  return text;
}

/** Refuses a workflow that requires a container. As a hint, an image is only a recommendation. */
export function refuseContainers(model: CwlModel): void {
  const needing = imagesIn(model).find(({ isRequired }) => isRequired);
  if (needing === undefined) return;
  throw new UnusableWorkflow([
    `Unsupported: ${needing.who} requires a container (DockerRequirement), and its commands would start on this machine. Use --podman.`,
  ]);
}

/** Refuses a workflow that requires a container and names no image. */
export function refuseUnnamed(model: CwlModel): void {
  const unnamed = imagesIn(model).filter(({ image, isRequired }) => image === null && isRequired);
  if (unnamed.length > 0) throw new UnusableWorkflow(unnamed.map(({ who }) => withoutImage(who)));
}
