import { readFile } from "node:fs/promises";
import path from "node:path";
import { UNLIMITED } from "#engines/outstanding";
import { readDocuments } from "#runner/engine/read-documents";
import { type LinkOptions, refuseLeavingLink } from "#cli/files/leaving-links";
import type { SpecificationFault, SpecificationReport } from "#cli/specification/specification-report";
import { isAddress, type Preparation, warningsOf } from "#engines/documents";
import type { RunRequest } from "#engines/engine";
import { faultCode } from "#engines/problem";
import { codeOf, messageOf } from "#plumbing/errors";
import { findGpuProblems } from "#operations/runs/checks/gpu-checks";
import { findImageProblems } from "#operations/runs/checks/image-checks";
import { EngineFailure, type EngineRuntime } from "#runner/engine/engine-runtime";
import type { BackendCapabilities } from "#workflow/capabilities";
import type { Specification } from "#workflow/specification/specification";

type Found = Pick<SpecificationReport, "errors" | "warnings" | "graph">;

const NO_GRAPH = { nodes: [], edges: [] };

/** Thrown if a workflow names a document that only a server fetches. */
class RemoteDocument extends Error {}

interface SpecificationPlace extends LinkOptions {
  /** The folder of the specification. */
  readonly folder: string;
  readonly backends: readonly BackendCapabilities[];
}

/** Checks the documents of a workflow like a start, and draws the graph. Documents are read from a folder. */
export async function checkDocuments(
  runtime: EngineRuntime,
  specification: Specification,
  { folder, backends, ...links }: SpecificationPlace,
): Promise<Found> {
  const request: RunRequest = { specification, parameters: {}, options: {} };
  try {
    const made = await readDocuments(
      {},
      async (texts) => withoutRemote(await runtime.questionsOf("").prepare(request, texts)),
      (location) => read(location, folder, links),
    );
    if (made.kind === "refused") {
      const errors = made.problems.map((problem) => ({ code: faultCode(problem), ...problem }));
      return { errors, warnings: [], graph: NO_GRAPH };
    }
    const run = { id: "validate", name: "validate.1", number: "1", workspaceFolder: folder };
    const session = await runtime.open({
      ...request,
      model: made.model,
      run: { ...run, ...UNLIMITED },
    });
    const graph = await session.graph();
    await session.close();
    const images = await findImageProblems(backends, made.images);
    const unmet = [...images, ...findGpuProblems(backends, made.gpus)].map(({ message }) => message);
    const warnings = [...warningsOf(made.model), ...unmet].map(asFault);
    return { errors: [], warnings, graph };
  } catch (error) {
    const fault = [asFault(messageOf(error))];
    if (error instanceof RemoteDocument) return { errors: [], warnings: fault, graph: NO_GRAPH };
    if (error instanceof EngineFailure) return { errors: fault, warnings: [], graph: NO_GRAPH };
    throw error;
  }
}

/** Stops at a document that only a server fetches, by its own rules. */
function withoutRemote(made: Preparation): Preparation {
  const remote =
    made.kind === "needs"
      ? made.documents.find(({ location, isOptional }) => !isOptional && isAddress(location))
      : undefined;
  if (!remote) return made;
  // A query may hold a token.
  const [address] = remote.location.split(/[?#]/, 1);
  throw new RemoteDocument(
    `The workflow reads ${address}. A server fetches it when the run starts, so the workflow was checked only in part.`,
  );
}

async function read(location: string, folder: string, links: LinkOptions): Promise<string> {
  // An optional document. A server fetches it when the run starts.
  if (isAddress(location)) throw new Error("");
  await refuseLeavingLink(`${location} was`, path.join(folder, location), links, folder);
  try {
    return await readFile(path.join(folder, location), "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") throw new Error(`There is no file ${location}.`, { cause: error });
    throw new Error(`${location} cannot be read: ${messageOf(error)}.`, { cause: error });
  }
}

function asFault(message: string): SpecificationFault {
  return { code: "start", path: "", message };
}
