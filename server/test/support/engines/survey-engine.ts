import { describeFailure } from "#engines/describe-failure";
import type {
  Checksum,
  Engine,
  EngineEvent,
  EngineInput,
  EngineRun,
  Evaluate,
  Instruction,
  Listing,
  Step,
} from "#engines/engine";
import type { Expression } from "#plumbing/javascript/evaluate";
import { jobFolder } from "#engines/job-folder";
import type { Graph } from "#workflow/graph";
import { prepareSurvey } from "./survey-documents.ts";
import { type Job, succeeded } from "#workflow/job/job";

/**
 * A survey for an engine that needs everything in the engine contract, as CWL will: a file's content decides the number
 * of jobs, an expression the script of each, a condition whether a nested workflow runs, and a listing of the folders
 * what the outputs are. It exists only in the tests.
 *
 *   write settings ─► tell lines ─► hear them ┐
 *   read the list                             ┴► one job for each line ─► (if `when`) nested: prepare ─► summarise ─► list, checksum, publish
 */
interface Survey {
  readonly list: string;
  readonly script: string;
  readonly when: string;
  /** JavaScript library of the expressions. */
  readonly library?: string;
  readonly stages?: true;
}

type Phase =
  | "reading"
  | "visiting"
  | "prepare"
  | "summarise"
  | "listing"
  | "checksumming"
  | "publishing"
  | "over";

interface SurveyState {
  readonly phase: Phase;
  /** Keys of jobs and ids of requests without an answer yet. */
  readonly open: readonly string[];
  readonly items: readonly string[];
  readonly issued: readonly string[];
  /** Output files of the visits, from listings. */
  readonly found: readonly string[];
  /** The beginnings and checksums of the output files, from the end events of the jobs. */
  readonly told: readonly string[];
  /** Files in the pages of the last listing so far. */
  readonly listed: readonly string[];
}

interface Loaded {
  readonly survey: Survey;
  readonly run: EngineRun;
  readonly evaluate: Evaluate;
}

const MAX_STEPS = 100;
/** Number of expressions evaluated per step. */
const EXPRESSIONS_PER_STEP = 2;
const MAX_BYTES = 4096;

export const surveyEngine: Engine<SurveyState> = {
  language: "cwl",
  version: 6,
  check: () => [],
  prepare: prepareSurvey,
  load(input: EngineInput, evaluate: Evaluate) {
    const { run, specification, model = specification.workflow.specification } = input;
    const loaded = { survey: model as Survey, run, evaluate };
    return {
      start: () => start(loaded),
      apply: (state, event) => apply(loaded, state, event),
      graph: () => GRAPH,
    };
  },
};

function start({ survey }: Loaded): Step<SurveyState> {
  const state: SurveyState = {
    phase: "reading",
    open: ["look", "settings", "list"],
    items: [],
    issued: [],
    found: [],
    told: [],
    listed: [],
  };
  const files = [{ path: "settings.json", text: JSON.stringify(survey) }];
  return {
    state,
    instructions: [
      { do: "log", logger: "survey", level: "INFO", line: "The survey begins." },
      { do: "look", id: "look", paths: [survey.list] },
      { do: "write", id: "settings", files },
      { do: "read", id: "list", path: survey.list, maxBytes: MAX_BYTES },
    ],
  };
}

function apply(loaded: Loaded, state: SurveyState, event: EngineEvent): Step<SurveyState> {
  const name = event.kind === "job-ended" ? event.key : event.id;
  if (!state.open.includes(name)) return { state, instructions: [] };
  const next = { ...state, open: state.open.filter((other) => other !== name) };
  switch (event.kind) {
    case "refused":
      return failed(next, event.reason);
    case "job-ended": {
      if (!succeeded(event.end)) return failed(next, describeFailure(`Job ${name}`, event.end));
      const { listing, sums = [], texts = [] } = event.collected ?? { isCut: false };
      const found = listing?.entries.filter(({ kind }) => kind === "file").map(({ path }) => path) ?? [];
      const told = texts.map(({ path, text }) => `${text} ${sums.find((sum) => sum.path === path)?.digest}`);
      return visitMore(loaded, {
        ...next,
        found: [...next.found, ...found],
        told: [...next.told, ...told],
      });
    }
    case "read":
      return goOn(loaded, { ...next, items: event.text.split("\n").filter((line) => line !== "") });
    case "looked":
      return event.files.every(({ kind }) => kind === "file")
        ? goOn(loaded, next)
        : failed(next, `${loaded.survey.list} is no file.`);
    case "listed":
      return listOn(loaded, next, event.listing);
    case "went-on":
      return visitMore(loaded, next);
    case "written":
      return talk(next, { do: "tell", id: "tell", path: TALK, first: 1, lines: SAID });
    case "told":
      return talk(next, { do: "hear", id: "hear", path: TALK, from: 0 });
    case "heard": {
      const isWhole = event.lines.join() === SAID.map((line, index) => `${index + 1} ${line}`).join();
      return isWhole ? goOn(loaded, next) : failed(next, `These lines were heard: ${event.lines.join()}.`);
    }
    case "published":
      return finished(next, event.files);
    default:
      return goOn(loaded, next);
  }
}

/** A file for the survey's notes to itself, and the lines appended to the file. */
const TALK = "talk";
const SAID = ["one", "two"];

function talk(state: SurveyState, instruction: Extract<Instruction, { id: string }>): Step<SurveyState> {
  return { state: { ...state, open: [...state.open, instruction.id] }, instructions: [instruction] };
}

/** Starts the next phase once the present phase has no open jobs or requests. */
function goOn(loaded: Loaded, state: SurveyState): Step<SurveyState> {
  if (state.open.length > 0) return { state, instructions: [] };
  switch (state.phase) {
    case "reading":
      return state.items.length > 0
        ? visitMore(loaded, { ...state, phase: "visiting" })
        : decide(loaded, state);
    case "visiting":
      return decide(loaded, state);
    case "prepare":
      return submitAll({ ...state, phase: "summarise" }, [job(loaded, ["nested", "summarise"], "echo all")]);
    case "summarise":
      return list(loaded, state);
    case "listing":
      return ask(
        { ...state, phase: "checksumming" },
        {
          do: "checksum",
          id: "sums",
          paths: state.listed,
          algorithm: "sha1",
        },
      );
    case "checksumming":
      return publish(state);
    default:
      return { state, instructions: [] };
  }
}

/**
 * Submits the next visits, as many as may be outstanding. Their expressions are evaluated in several steps. Continues
 * when all have ended.
 */
function visitMore(loaded: Loaded, state: SurveyState): Step<SurveyState> {
  const { survey, run, evaluate } = loaded;
  const begun = state.issued.length;
  const { mostOutstanding, workspaceFolder: folder } = run;
  if (state.phase !== "visiting" || begun >= state.items.length) return goOn(loaded, state);
  const free = Math.min(mostOutstanding - state.open.length, state.items.length - begun);
  const end = begun + Math.min(free, EXPRESSIONS_PER_STEP);
  const jobs: Job[] = [];
  for (let index = begun; index < end; index += 1) {
    const path = ["visit", String(index)];
    const input = { item: state.items[index]!, index, folder, out: jobFolder("cwl", run, path) };
    const script = evaluate(expressionOf(survey, survey.script, input));
    if (!script.ok) return failed(state, `The script of visit ${index} cannot be known: ${script.reason}.`);
    const visit = job(loaded, path, String(script.value));
    jobs.push(survey.stages ? staged(visit, survey.list, String(script.value)) : visit);
  }
  const { state: next, instructions } = submitAll(state, jobs, state.items.length);
  if (free <= jobs.length) return { state: next, instructions };
  const id = `visits from ${end}`;
  const asked = { ...next, open: [...next.open, id] };
  return { state: asked, instructions: [...instructions, { do: "go-on", id }] };
}

function expressionOf({ library }: Survey, source: string, input: Expression["input"]): Expression {
  return { source, input, maxSteps: MAX_STEPS, ...(library !== undefined && { library }) };
}

function decide(loaded: Loaded, state: SurveyState): Step<SurveyState> {
  const visits: Instruction = {
    do: "mark",
    node: "visit",
    as: state.items.length > 0 ? "finished" : "skipped",
  };
  const next = decideNested(loaded, state);
  return { state: next.state, instructions: [visits, ...next.instructions] };
}

function decideNested(loaded: Loaded, state: SurveyState): Step<SurveyState> {
  const { survey, evaluate } = loaded;
  const condition = evaluate(expressionOf(survey, survey.when, { count: state.found.length }));
  if (!condition.ok) return failed(state, `The condition cannot be known: ${condition.reason}.`);
  if (condition.value !== true) {
    const { state: next, instructions } = list(loaded, state);
    return { state: next, instructions: [{ do: "mark", node: "nested", as: "skipped" }, ...instructions] };
  }
  const step = submitAll({ ...state, phase: "prepare" }, [
    job(loaded, ["nested", "prepare"], "echo prepare"),
  ]);
  return { state: step.state, instructions: [NESTED, ...step.instructions] };
}

function list({ run }: Loaded, state: SurveyState): Step<SurveyState> {
  if (state.issued.length === 0) return finished(state, []);
  return ask(
    { ...state, phase: "listing" },
    { do: "list", id: "outputs", folder: jobFolder("cwl", run, []), deep: true },
  );
}

/** Asks for the next page of the listing, or continues after the last. */
function listOn(loaded: Loaded, state: SurveyState, { entries, isCut }: Listing): Step<SurveyState> {
  const paths = entries.filter(({ kind }) => kind === "file").map(({ path }) => path);
  const next = { ...state, listed: [...state.listed, ...paths] };
  if (!isCut) return goOn(loaded, next);
  const after = entries.at(-1)!.path;
  const folder = jobFolder("cwl", loaded.run, []);
  return ask(next, { do: "list", id: `outputs after ${after}`, folder, deep: true, after });
}

function publish(state: SurveyState): Step<SurveyState> {
  const files = [...state.found]
    .sort()
    .map((path) => ({ from: path, to: `results/${path.replaceAll("/", "-")}` }));
  return ask(
    { ...state, phase: "publishing" },
    {
      do: "publish",
      id: "results",
      files,
      algorithm: "sha256",
      isSettled: true,
    },
  );
}

function ask(state: SurveyState, instruction: Extract<Instruction, { id: string }>): Step<SurveyState> {
  return { state: { ...state, open: [instruction.id] }, instructions: [instruction] };
}

function submitAll(state: SurveyState, jobs: readonly Job[], known = 0): Step<SurveyState> {
  const keys = jobs.map(({ key }) => key);
  const issued = [...state.issued, ...keys];
  return {
    state: { ...state, open: [...state.open, ...keys], issued },
    instructions: [
      { do: "expect", jobs: Math.max(known, issued.length) },
      ...jobs.map((one) => ({ do: "submit", job: one }) as const),
    ],
  };
}

function job({ run }: Loaded, path: readonly string[], script: string): Job {
  return {
    key: path.join("/"),
    name: path[0]!,
    node: path[0] === "visit" ? "visit" : path.join("/"),
    command: { script },
    displayCommand: script,
    image: null,
    environment: {},
    collect: {
      folder: jobFolder("cwl", run, path),
      lists: true,
      sums: { patterns: ["*.txt"], algorithm: "sha1" },
      texts: { patterns: ["*.txt"], maxBytes: 4 },
    },
  };
}

/** Returns the visit as a program in a separate folder with staged files. */
function staged(visit: Job, listed: string, script: string): Job {
  const { folder } = visit.collect!;
  return {
    ...visit,
    command: { argv: ["bash", "run", "an argument"] },
    workingFolder: folder,
    stdin: listed,
    stdout: `${folder}/printed`,
    successCodes: [0, 3],
    stage: [
      { at: folder, folder: true },
      { at: `${folder}/in/list`, link: listed },
      { at: `${folder}/own`, copy: listed },
      { at: `${folder}/run`, text: `${script}\n`, isExecutable: true },
    ],
  };
}

function finished(state: SurveyState, files: readonly Checksum[]): Step<SurveyState> {
  return {
    state: { ...state, phase: "over", open: [] },
    instructions: [{ do: "finish", outputs: { files, told: state.told.toSorted() } }],
  };
}

function failed(state: SurveyState, reason: string): Step<SurveyState> {
  return { state: { ...state, phase: "over", open: [] }, instructions: [{ do: "fail", reason }] };
}

/** Facts known before the list is read. */
const GRAPH: Graph = {
  nodes: [
    { id: "visit", name: "visit", parent: null, jobs: null },
    { id: "nested", name: "nested", parent: null, jobs: null },
  ],
  edges: [{ from: "visit", to: "nested" }],
};

/** The nested workflow, drawn once its condition is true. */
const NESTED: Instruction = {
  do: "draw",
  nodes: [
    { id: "nested/prepare", name: "prepare", parent: "nested", jobs: 1 },
    { id: "nested/summarise", name: "summarise", parent: "nested", jobs: 1 },
  ],
  edges: [{ from: "nested/prepare", to: "nested/summarise" }],
};
