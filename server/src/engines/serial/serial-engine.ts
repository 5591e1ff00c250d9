import type { Engine, EngineEvent, EngineInput, Instruction, JobEnded, Problem, Step } from "#engines/engine";
import { describeFailure } from "#engines/describe-failure";
import { graphOf } from "#engines/serial/graph";
import { type Plan, type PlannedCommand, planOf } from "#engines/serial/plan";
import { succeeded } from "#workflow/job";

/** The plan follows from the input, so it is not part of the state: a snapshot of a long run stays small. */
interface SerialState {
  /** Which command runs now; the number of commands when all have ended. */
  readonly position: number;
  readonly ended: boolean;
}

/** REANA's serial language: one job per command, strictly one after the other, up to the first that fails. */
export const serialEngine: Engine<SerialState> = {
  language: "serial",
  version: 1,
  check: (input: EngineInput): readonly Problem[] => planOf(input).problems,
  load(input) {
    const { plan, problems } = planOf(input);
    return {
      start: () => start(plan, problems),
      apply: (state, event) => apply(plan, state, event),
      graph: (state) => graphOf(plan, state.position, state.ended),
    };
  },
};

const LOGGER = "root";

function start(plan: Plan, problems: readonly Problem[]): Step<SerialState> {
  const first = { position: 0, ended: false };
  if (problems.length > 0) return failed(first, problems.map((problem) => problem.message).join("\n"));
  const notes = plan.notes.map((line) => ({ do: "log", logger: LOGGER, level: "ERROR", line }) as const);
  const next = runCommandAt(plan, first);
  return {
    state: next.state,
    instructions: [{ do: "expect", jobs: plan.commandCount }, ...notes, ...next.instructions],
  };
}

function apply(plan: Plan, state: SerialState, event: EngineEvent): Step<SerialState> {
  const current = plan.commands[state.position];
  const isExpected = event.kind === "job-ended" && event.key === current?.key;
  if (state.ended || !current || !isExpected) return { state, instructions: [] };
  if (!succeeded(event.end)) return failed(state, failureOf(plan, current, event), current.key);
  return runCommandAt(plan, { ...state, position: state.position + 1 });
}

function runCommandAt(plan: Plan, state: SerialState): Step<SerialState> {
  const command = plan.commands[state.position];
  if (!command) return { state: { ...state, ended: true }, instructions: [{ do: "finish" }] };
  // REANA's acceptance tests look for this line, word by word.
  const { stepIndex, command: text } = command;
  const line = `Publishing step:${stepIndex}, cmd: ${text}, total steps ${plan.stepCount} to MQ`;
  return { state, instructions: [{ do: "log", logger: LOGGER, level: "INFO", line }, submit(command)] };
}

function submit(command: PlannedCommand): Instruction {
  return {
    do: "submit",
    job: {
      key: command.key,
      name: command.stepName,
      script: command.command,
      displayCommand: command.command,
      image: command.image,
      environment: {},
      timeLimitMs: command.timeLimitMs,
      ...(command.memoryBytes > 0 && { resources: { cores: 1, memoryBytes: command.memoryBytes } }),
    },
  };
}

function failureOf(plan: Plan, command: PlannedCommand, event: JobEnded): string {
  const [step, number] = command.key.split(".").map(Number) as [number, number];
  const ofStep = plan.commands.filter((other) => other.stepIndex === command.stepIndex).length;
  const what =
    (command.stepName ? `Step "${command.stepName}"` : `Step ${step + 1}`) +
    (ofStep > 1 ? ` (command ${number + 1} of ${ofStep})` : "");
  return describeFailure(what, event.end);
}

function failed(state: SerialState, reason: string, job?: string): Step<SerialState> {
  const fail: Instruction = job === undefined ? { do: "fail", reason } : { do: "fail", reason, job };
  return { state: { ...state, ended: true }, instructions: [fail] };
}
