import { jobFolder } from "#engines/job-folder";
import type { Engine, EngineEvent, EngineInput, Instruction, Step } from "#engines/engine";
import { emptyList, itemAt, itemsOf, type WideList, withItem } from "#engines/wide-list";
import { describeFailure } from "#engines/describe-failure";
import type { Graph } from "#workflow/graph";
import { type Job, succeeded } from "#workflow/job/job";

/**
 * A scatter with the width in its specification, then one job that gathers, like in CWL: each job has a step
 * path, a separate folder and one file, whose checksum arrives with the end of the job. Whenever a job ends,
 * the next is issued. Used only in tests and measurements.
 */
interface Scatter {
  readonly width: number;
}

interface ScatterState {
  /** Numbers of issued and ended jobs of the scatter. */
  readonly issued: number;
  readonly ended: number;
  /** Checksums by the position in the scatter. */
  readonly results: WideList<string>;
  readonly isOver: boolean;
}

/** Maximum number of concurrent jobs of a run. */
const MOST_AT_ONCE = 256;
const GATHER = "gather";

export const scatterEngine: Engine<ScatterState> = {
  language: "cwl",
  version: 1,
  check: () => [],
  load(input: EngineInput) {
    return {
      start: () => start(input),
      apply: (state, event) => apply(input, state, event),
      graph: () => graphOf(input),
    };
  },
};

function widthOf({ specification }: EngineInput): number {
  return (specification.workflow.specification as Scatter).width;
}

function graphOf(input: EngineInput): Graph {
  return { nodes: [{ id: "scatter", name: "scatter", parent: null, jobs: widthOf(input) }], edges: [] };
}

function start(input: EngineInput): Step<ScatterState> {
  const issued = Math.min(widthOf(input), MOST_AT_ONCE, input.run.mostOutstanding);
  const jobs = Array.from({ length: issued }, (_, index) => submit(input, "scatter", `scatter/${index}`));
  return {
    state: { issued, ended: 0, results: emptyList(), isOver: false },
    instructions: [{ do: "expect", jobs: widthOf(input) + 1 }, ...jobs],
  };
}

function apply(input: EngineInput, state: ScatterState, event: EngineEvent): Step<ScatterState> {
  const nothing = { state, instructions: [] };
  if (state.isOver || event.kind !== "job-ended" || event.attempt !== undefined) return nothing;
  const index = event.key === GATHER ? -1 : indexOf(event.key);
  if (!isExpected(input, state, index)) return nothing;
  if (!succeeded(event.end)) {
    const reason = describeFailure(`Job ${event.key}`, event.end);
    return { state: { ...state, isOver: true }, instructions: [{ do: "fail", reason, job: event.key }] };
  }
  if (event.key === GATHER) {
    const outputs = { digests: itemsOf(state.results).length };
    return { state: { ...state, isOver: true }, instructions: [{ do: "finish", outputs }] };
  }
  const digest = event.collected?.sums?.[0]?.digest ?? "none";
  const next = { ...state, ended: state.ended + 1, results: withItem(state.results, index, digest) };
  return goOn(input, next);
}

/** Returns whether the end of a job is outstanding. The index -1 stands for the gathering job. */
function isExpected(input: EngineInput, { issued, ended, results }: ScatterState, index: number): boolean {
  if (index === -1) return ended === widthOf(input);
  return index < issued && itemAt(results, index) === null;
}

function goOn(input: EngineInput, state: ScatterState): Step<ScatterState> {
  const width = widthOf(input);
  if (state.issued < width) {
    const key = `scatter/${state.issued}`;
    return { state: { ...state, issued: state.issued + 1 }, instructions: [submit(input, "scatter", key)] };
  }
  if (state.ended < width) return { state, instructions: [] };
  const drawing: Instruction = {
    do: "draw",
    nodes: [{ id: GATHER, name: GATHER, parent: null, jobs: 1 }],
    edges: [{ from: "scatter", to: GATHER }],
  };
  return { state, instructions: [drawing, submit(input, GATHER, GATHER)] };
}

function indexOf(key: string): number {
  const match = /^scatter\/(\d+)$/.exec(key);
  return match ? Number(match[1]) : Number.POSITIVE_INFINITY;
}

function submit(input: EngineInput, node: string, key: string): Instruction {
  const folder = jobFolder("cwl", input.run, key.split("/"));
  const argv = ["align", "--in", `reads/${key}.fastq`, "--out", `${folder}/out.bam`] as const;
  const job: Job = {
    key,
    name: node,
    node,
    command: { argv: [...argv] },
    displayCommand: argv.join(" "),
    image: "example.org/align:1.0",
    environment: { HOME: `${input.run.workspaceFolder}/${folder}` },
    collect: { folder, sums: { patterns: ["*.bam"], algorithm: "sha1" }, lists: true },
  };
  return { do: "submit", job };
}
