import { createHash } from "node:crypto";
import { SOME_RUN } from "#engines/contract-suite";
import { prepareCwl } from "#engines/cwl/cwl-preparation";
import type {
  Answer,
  Checksum,
  Collected,
  EngineEvent,
  EngineInput,
  FileAsk,
  Instruction,
  LoadedWorkflow,
  RunRequest,
} from "#engines/engine";
import { isEnding } from "#engines/engine";
import type { Problem } from "#engines/problem";
import type { Job } from "#workflow/job/job";

/** Documents of a workspace, by path. */
export type Texts = Readonly<Record<string, string>>;

export function requestFor(file: string, parameters: Readonly<Record<string, unknown>> = {}): RunRequest {
  return { specification: { workflow: { type: "cwl", file } }, parameters, options: {} };
}

/** Returns the input of a run of a document. Throws if the document is refused. */
export function inputFor(
  texts: Texts,
  parameters: Readonly<Record<string, unknown>> = {},
  file = "main.cwl",
): EngineInput {
  const request = requestFor(file, parameters);
  const made = prepareCwl(request, texts);
  if (made.kind !== "ready") throw new Error(JSON.stringify(made));
  return { ...request, model: made.model, run: SOME_RUN };
}

export function problemsOf(
  texts: Texts,
  parameters: Readonly<Record<string, unknown>> = {},
  { file = "main.cwl", root = "" }: { readonly file?: string; readonly root?: "" | "/" } = {},
): readonly Problem[] {
  const made = prepareCwl(requestFor(file, parameters), texts, { root });
  return made.kind === "refused" ? made.problems : [];
}

/** Answers asks as a workspace in which every file exists, and contains its own path. */
export function answerAll(ask: FileAsk): Answer | undefined {
  const { id } = ask;
  switch (ask.do) {
    case "look":
      return {
        kind: "looked",
        id,
        files: ask.paths.map((path) => ({ path, kind: "file", bytes: path.length })),
      };
    case "read":
      return { kind: "read", id, text: ask.path, bytes: ask.path.length };
    case "list":
      return { kind: "listed", id, listing: { entries: [], isCut: false } };
    case "checksum":
      return { kind: "checksummed", id, files: ask.paths.map(sumOf) };
    case "write":
      return { kind: "written", id };
    case "publish":
      return { kind: "published", id, files: ask.files.map(({ to }) => sumOf(to)) };
    case "stamp":
      return undefined;
  }
}

function sumOf(path: string): Checksum {
  const digest = createHash("sha1").update(path).digest("hex");
  return { path, bytes: path.length, algorithm: "sha1", digest };
}

/** A job that made all files named without wildcards in its patterns. */
export function collectedOf({ collect }: Job): Collected {
  const names = (collect?.sums?.patterns ?? []).filter((pattern) => !/[*?[]/.test(pattern));
  const paths = names.map((name) => `${collect!.folder}/${name}`).toSorted();
  return {
    listing: { entries: paths.map((path) => ({ path, kind: "file", bytes: path.length })), isCut: false },
    sums: paths.map(sumOf),
    texts: [],
    isCut: false,
  };
}

/** The simulated world of a run: answers to asks about files, and the files that jobs make. */
export interface RunWorld {
  readonly answer: (ask: FileAsk) => Answer | undefined;
  readonly collected: (job: Job) => Collected;
  /** Default: every command succeeds. */
  readonly exitCodeOf: (job: Job) => number;
}

const INSTRUCTIONS_MAX = 500;

/** Runs a workflow in which all commands succeed. Returns the last instruction. */
export function lastOf(loaded: LoadedWorkflow, world: Partial<RunWorld> = {}): Instruction {
  return instructionsOf(loaded, world).at(-1)!;
}

/** Runs a workflow. Returns all instructions up to the end of the run. */
export function instructionsOf(
  loaded: LoadedWorkflow,
  { answer = answerAll, collected = collectedOf, exitCodeOf = () => 0 }: Partial<RunWorld> = {},
): Instruction[] {
  let step = loaded.start();
  const all: Instruction[] = [...step.instructions];
  for (let at = 0; at < Math.min(all.length, INSTRUCTIONS_MAX); at += 1) {
    const instruction = all[at]!;
    if (isEnding(instruction)) return all.slice(0, at + 1);
    const event = eventFor(instruction, { answer, collected, exitCodeOf });
    if (!event) continue;
    step = loaded.apply(step.state, event);
    all.push(...step.instructions);
  }
  throw new Error("It has no end.");
}

function eventFor(
  instruction: Instruction,
  { answer, collected, exitCodeOf }: RunWorld,
): EngineEvent | undefined {
  if (instruction.do === "submit") {
    const { job } = instruction;
    const exitCode = exitCodeOf(job);
    const times = { startedAtMs: 0, endedAtMs: 1 };
    const end = { reason: "exited", exitCode, ...times, isSuccess: exitCode === 0 } as const;
    return { kind: "job-ended", key: job.key, end, lastLines: [], collected: collected(job) };
  }
  if (instruction.do === "go-on") return { kind: "went-on", id: instruction.id };
  return "id" in instruction ? answer(instruction as FileAsk) : undefined;
}
