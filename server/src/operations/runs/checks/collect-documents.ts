import { absenceOf, isAddress, isSettled, type NeededDocument } from "#engines/documents";
import type { RunRequest } from "#engines/engine";
import type { Problem } from "#engines/problem";
import type { RunServices } from "#operations/runs/services";
import { findGpuProblems } from "#operations/runs/checks/gpu-checks";
import { findImageProblems } from "#operations/runs/checks/image-checks";
import {
  askEngine,
  engineFor,
  refuseProblems,
  type OwnedStart,
  type Started,
} from "#operations/runs/checks/start-checks";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import type { RunFiles } from "#workspace/run-files";

/** Limits on all documents of a workflow together. */
export const DOCUMENTS_MAX = 1000;
export const BYTES_MAX = 16 << 20;
const COLLECTING_MAX_MS = 30_000;
/** Time limit for an optional document, to leave time for other documents. */
const OPTIONAL_MAX_MS = 10_000;
const MODEL_MAX_CHARS = 32 << 20;
const AT_ONCE = 8;

type CollectContext = Pick<RunServices, "engines" | "workspaces" | "documents" | "clock" | "capabilities">;

/**
 * Collects the documents that the engine asks for, from the workspace and from the web, until the engine has made its
 * model of them. Refuses the start if a document cannot be had, or if the engine finds problems. Returns undefined if
 * the language has no documents.
 */
export async function maybeModel(
  context: CollectContext,
  start: OwnedStart,
  request: RunRequest,
  workspaceId: string,
): Promise<unknown> {
  const language = request.specification.workflow.type;
  const { runtime, readsDocuments } = engineFor(context, start, language);
  if (!readsDocuments) return undefined;
  const questions = runtime.questionsOf(start.ownerId);
  const time = new AbortController();
  const stop = context.clock.after(COLLECTING_MAX_MS, () => time.abort(tooSlow(start)));
  try {
    const collected = new Collected(
      context,
      context.workspaces.of(workspaceId).forRun(time.signal),
      time.signal,
    );
    for (;;) {
      const made = await askEngine(start, () => questions.prepare(request, collected.texts));
      time.signal.throwIfAborted();
      if (made.kind === "ready") {
        const { backends } = context.capabilities;
        refuseProblems(start, [
          ...(await findImageProblems(backends, made.images)),
          ...findGpuProblems(backends, made.gpus),
        ]);
        crashPoint("documents-collected");
        return checkedModel(start, made.model);
      }
      if (made.kind === "refused") refuseProblems(start, made.problems);
      else refuseProblems(start, await collected.add(made.documents));
    }
  } finally {
    stop();
  }
}

class Collected {
  readonly texts: Record<string, string> = Object.create(null) as Record<string, string>;
  readonly #context: CollectContext;
  readonly #files: RunFiles;
  readonly #signal: AbortSignal;
  #leftBytes = BYTES_MAX;

  constructor(context: CollectContext, files: RunFiles, signal: AbortSignal) {
    this.#context = context;
    this.#files = files;
    this.#signal = signal;
  }

  /** Reads missing documents. Returns each unreadable document as a problem at the place of the reference. */
  async add(needed: readonly NeededDocument[]): Promise<readonly Problem[]> {
    const missing = needed.filter(({ location }) => !isSettled(this.texts, location));
    const byLocation = new Map(missing.map((one) => [one.location, one]));
    if (byLocation.size === 0) throw new Error("The workflow engine asks for documents that it has.");
    const count = Object.keys(this.texts).length + byLocation.size;
    if (count > DOCUMENTS_MAX) {
      const message = `The workflow has more than ${DOCUMENTS_MAX} documents.`;
      return [{ ...missing[0]!.named, message }];
    }
    const problems: Problem[] = [];
    const wanted = [...byLocation.values()];
    for (let from = 0; from < wanted.length; from += AT_ONCE) {
      const group = wanted.slice(from, from + AT_ONCE);
      const found = await Promise.all(
        group.map((one) => (one.isOptional ? this.#try(one) : this.#read(one, this.#signal))),
      );
      problems.push(...found.filter((problem) => problem !== undefined));
      if (this.#signal.aborted) break;
    }
    return problems;
  }

  /** Reads a document that the workflow can do without, or remembers why it cannot be had. */
  async #try(needed: NeededDocument): Promise<undefined> {
    const time = new AbortController();
    const stop = this.#context.clock.after(OPTIONAL_MAX_MS, () => time.abort());
    try {
      const problem = await this.#read(needed, AbortSignal.any([this.#signal, time.signal]));
      if (problem) this.texts[absenceOf(needed.location)] = problem.message;
    } finally {
      stop();
    }
  }

  async #read({ location, named }: NeededDocument, signal: AbortSignal): Promise<Problem | undefined> {
    try {
      const text = await this.#textAt(location, signal);
      this.#leftBytes -= Buffer.byteLength(text);
      if (this.#leftBytes < 0) return { ...named, message: TOO_LARGE };
      this.texts[location] = text;
      return undefined;
    } catch (error) {
      if (error instanceof Refusal && error.kind !== "unavailable")
        return { ...named, message: isMissingFile(error, location) ? notUploaded(location) : error.message };
      if (signal.aborted && isAddress(location)) return { ...named, message: silent(location) };
      throw error;
    }
  }

  async #textAt(location: string, signal: AbortSignal): Promise<string> {
    const maxBytes = Math.max(0, this.#leftBytes);
    if (isAddress(location)) return this.#context.documents.fetch(location, maxBytes, signal);
    const { text, bytes } = await this.#files.read(location, maxBytes);
    if (bytes > maxBytes) throw new Refusal("malformed", `${location}: ${TOO_LARGE}`);
    return text;
  }
}

function isMissingFile({ kind }: Refusal, location: string): boolean {
  return kind === "absent" && !isAddress(location);
}

/** The analysis may well have the file: a run gets only the declared inputs. */
function notUploaded(location: string): string {
  return `${location} is not in the workspace. Upload it, or list it under inputs.files.`;
}

const TOO_LARGE = `The documents of the workflow are larger than ${BYTES_MAX >> 20} MiB together.`;

/** Leaves out the query of an address: it may hold a token. */
function silent(address: string): string {
  const { origin, pathname } = new URL(address);
  return (
    `${origin}${pathname} could not be read within ${COLLECTING_MAX_MS / 1000} s. ` +
    "Try again, or put a copy of the document into the workspace."
  );
}

function tooSlow({ name, verb }: Started): Refusal {
  return new Refusal(
    "unavailable",
    `Workflow ${name} could not be ${verb}: its documents could not be read within ${COLLECTING_MAX_MS / 1000} s. ` +
      "Try again, or put copies of the documents into the workspace.",
  );
}

function checkedModel(start: Started, model: unknown): unknown {
  const chars = JSON.stringify(model).length;
  if (chars <= MODEL_MAX_CHARS) return model;
  const message = `The workflow is too large: its model has ${chars} characters; at most ${MODEL_MAX_CHARS} are allowed.`;
  refuseProblems(start, [{ path: "workflow", message }]);
  return undefined;
}
