import { readFile } from "node:fs/promises";
import type { NeededDocument, Preparation } from "#engines/documents";
import { isAddress } from "#engines/documents";
import type { RunRequest } from "#engines/engine";
import { inWords, type Problem } from "#engines/problem";
import { prepareCwl } from "#engines/cwl/cwl-preparation";
import type { CwlModel, InputParameter, Requirement } from "#engines/cwl/model/model";
import { messageOf } from "#plumbing/errors";

const BYTES_MAX = 16 << 20;
const FETCH_MAX_MS = 30_000;

/** Thrown if a workflow cannot be read, or needs what this program does not have. */
export class UnusableWorkflow extends Error {
  /** Whether the workflow is valid, and only asks for what is not supported. */
  readonly isUnsupported: boolean;

  constructor(sentences: readonly string[]) {
    super(sentences.join("\n"));
    this.isUnsupported = sentences.every((one) => one.includes("Unsupported: "));
  }
}

/** Reads inputs that were given apart from the documents, once it is known which the workflow has. */
export type ReadInputs = (parameters: readonly InputParameter[]) => RunRequest["parameters"];

/** Reads a workflow with all its documents from this machine. Locations are absolute paths without their first slash. */
export async function readWorkflow(
  request: RunRequest,
  readInputs: ReadInputs,
  hasContainers: boolean,
): Promise<CwlModel> {
  const texts: Record<string, string> = {};
  const bare = await prepared(request, texts);
  const parameters = readInputs(bare.processes[bare.main]!.inputs);
  const hasInputs = Object.keys(parameters).length > 0;
  const model = hasInputs ? await prepared({ ...request, parameters }, texts) : bare;
  return hasContainers ? model : withoutContainers(model);
}

/** Prepares a workflow. Texts that it needs are added to those that are there. */
async function prepared(request: RunRequest, texts: Record<string, string>): Promise<CwlModel> {
  for (;;) {
    const made: Preparation = prepareCwl(request, texts, { root: "/" });
    if (made.kind === "ready") return made.model as CwlModel;
    if (made.kind === "refused") throw new UnusableWorkflow(made.problems.map(sentenceOf));
    const problems = (await Promise.all(made.documents.map((one) => read(one, texts)))).filter(
      (one) => one !== undefined,
    );
    if (problems.length > 0) throw new UnusableWorkflow(problems.map(sentenceOf));
  }
}

/** Refuses what requires a container. As a hint, an image is only a recommendation. */
function withoutContainers(model: CwlModel): CwlModel {
  const [needing] = [...needingContainers(model)];
  if (needing === undefined) return model;
  throw new UnusableWorkflow([
    `Unsupported: ${needing} requires a container (DockerRequirement), and its commands would start on this machine. Use --podman.`,
  ]);
}

function* needingContainers({ processes, jobRequirements }: CwlModel): Generator<string> {
  if (jobRequirements.some(isContainer)) yield "the input object";
  for (const process of processes) {
    if (process.requirements.some(isContainer)) yield process.name;
    const steps = process.kind === "workflow" ? process.steps : [];
    for (const { name, requirements } of steps)
      if (requirements.some(isContainer)) yield `${process.name}: its step \`${name}\``;
  }
}

function isContainer(requirement: Requirement): boolean {
  return requirement.class === "DockerRequirement";
}

async function read(
  { location, named }: NeededDocument,
  texts: Record<string, string>,
): Promise<Problem | undefined> {
  try {
    texts[location] = isAddress(location) ? await fetched(location) : await readFile(`/${location}`, "utf8");
    return undefined;
  } catch (error) {
    const shown = isAddress(location) ? location : `/${location}`;
    return { ...named, message: `${shown} cannot be read: ${messageOf(error)}.` };
  }
}

async function fetched(address: string): Promise<string> {
  const reply = await fetch(address, { signal: AbortSignal.timeout(FETCH_MAX_MS) });
  if (!reply.ok) throw new Error(`the server answered ${reply.status}`);
  const text = await reply.text();
  if (text.length > BYTES_MAX) throw new Error(`it is larger than ${BYTES_MAX} bytes`);
  return text;
}

function sentenceOf(problem: Problem): string {
  const { file } = problem;
  return inWords(file === undefined || isAddress(file) ? problem : { ...problem, file: `/${file}` });
}
