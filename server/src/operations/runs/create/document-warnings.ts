import { isAddress, warningsOf } from "#engines/documents";
import type { RunServices } from "#operations/runs/services";
import { BYTES_MAX, DOCUMENTS_MAX } from "#operations/runs/checks/collect-documents";
import { findGpuProblems } from "#operations/runs/checks/gpu-checks";
import { findImageProblems } from "#operations/runs/checks/image-checks";
import { EngineFailure } from "#runner/engine/engine-runtime";
import { type ReadDocument, readDocuments } from "#runner/engine/read-documents";
import type { CheckedSpecification } from "#workflow/specification/check-specification";

/** Warning code of an image not available on this server. */
export const IMAGE_WARNING = "image";

/** Warning code of missing GPUs. */
const GPU_WARNING = "demand";

/** The code of a warning about a document of the workflow: of a hint that is not known, for example. */
export const DOCUMENT_WARNING = "document";

/** Reads a document of the workflow. Throws if the document is missing or too large. */
type ReadFile = (location: string, maxBytes: number) => Promise<string>;

/**
 * Adds the warnings about a workflow's documents, and a warning for each image that would make a start fail,
 * if the documents are available: in the specification, or through `read`. Fetches nothing. Documents not
 * readable here are judged at the start.
 */
export async function withDocumentWarnings(
  { engines, capabilities }: Pick<RunServices, "engines" | "capabilities">,
  ownerId: string,
  checked: CheckedSpecification,
  read?: ReadFile,
): Promise<CheckedSpecification> {
  const { specification } = checked;
  const engine = engines.get(specification.workflow.type);
  const isThere = specification.workflow.specification !== undefined || read !== undefined;
  if (engine?.namesImages !== true || !isThere) return checked;
  try {
    const request = { specification, parameters: {}, options: {} };
    const questions = engine.runtime.questionsOf(ownerId);
    const prepare = (texts: Readonly<Record<string, string>>) => questions.prepare(request, texts);
    const made = await readDocuments({}, prepare, bounded(read));
    if (made.kind === "refused") return checked;
    const problems = await findImageProblems(capabilities.backends, made.images);
    const images = problems.map((problem) => ({ code: IMAGE_WARNING, ...problem }));
    const gpus = findGpuProblems(capabilities.backends, made.gpus).map((problem) => ({
      code: GPU_WARNING,
      ...problem,
    }));
    const others = warningsOf(made.model).map((message) => ({
      code: DOCUMENT_WARNING,
      path: "workflow",
      message,
    }));
    return { ...checked, warnings: [...checked.warnings, ...others, ...images, ...gpus] };
  } catch (error) {
    if (error instanceof EngineFailure) return checked;
    throw error;
  }
}

/** Reads no more than a start would. */
function bounded(read: ReadFile | undefined): ReadDocument {
  let [documents, bytes] = [DOCUMENTS_MAX, BYTES_MAX];
  return async (location) => {
    documents -= 1;
    // Fetched at the start.
    if (isAddress(location)) throw new Error("");
    if (!read || documents < 0) throw new Error(`${location} is not read.`);
    const text = await read(location, bytes);
    bytes -= Buffer.byteLength(text);
    return text;
  };
}
