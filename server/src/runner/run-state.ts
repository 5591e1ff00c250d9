import type { Engine, EngineInput, Instruction, JobEnded, Step } from "#engines/engine";
import { messageOf } from "#plumbing/errors";
import type { RunEvent } from "#store/run-events";
import type { WorkflowDefinition } from "#store/workflows";
import type { Job } from "#workflow/job";

/** Where a run stands according to its recorded events. */
export interface RunState {
  readonly engineState: unknown;
  /** Handed out, and not ended. */
  readonly outstanding: ReadonlyMap<string, Job>;
  readonly nextSeq: number;
  readonly jobCount: number;
}

/** What one event led to: the new state, and what is to be written and done. */
export interface Advance {
  readonly state: RunState;
  readonly instructions: readonly Instruction[];
}

export function engineInput(definition: WorkflowDefinition): EngineInput {
  return {
    specification: definition.specification,
    parameters: definition.inputParameters,
    options: definition.operationalOptions,
  };
}

/** The first advance of a run, from the event that records its beginning. */
export function begin(engine: Engine, input: EngineInput, seq: number): Advance {
  const before = { engineState: null, outstanding: new Map<string, Job>(), nextSeq: seq, jobCount: 0 };
  return advance(before, () => engine.start(input));
}

export function jobEnded(engine: Engine, state: RunState, event: JobEnded): Advance {
  const outstanding = new Map(state.outstanding);
  outstanding.delete(event.key);
  return advance({ ...state, outstanding }, () => engine.apply(state.engineState, event));
}

/** Applies the recorded events again: no event, no instruction is carried out twice for it. */
export function replay(
  engine: Engine,
  input: EngineInput,
  events: readonly RunEvent[],
): RunState | undefined {
  let state: RunState | undefined;
  for (const event of events) {
    if (event.kind === "begun") state = begin(engine, input, event.seq).state;
    else if (event.kind === "job-ended" && state)
      state = jobEnded(engine, state, event.body as JobEnded).state;
  }
  return state;
}

function advance(before: RunState, step: () => Step<unknown>): Advance {
  const { state, instructions } = guarded(before, step);
  const submitted = instructions.flatMap((instruction) =>
    instruction.do === "submit" ? [instruction.job] : [],
  );
  const outstanding = new Map(before.outstanding);
  for (const job of submitted) outstanding.set(job.key, job);
  return {
    instructions,
    state: {
      engineState: state,
      outstanding,
      nextSeq: before.nextSeq + 1,
      jobCount: before.jobCount + submitted.length,
    },
  };
}

/** An engine is pure: what it throws once it would throw again, so the run ends with that reason. */
function guarded(before: RunState, step: () => Step<unknown>): Step<unknown> {
  try {
    return step();
  } catch (error) {
    const reason = `The workflow engine stopped with an error: ${messageOf(error)}`;
    return { state: before.engineState, instructions: [{ do: "fail", reason }] };
  }
}
