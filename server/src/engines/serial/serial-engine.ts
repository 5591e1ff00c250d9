import type {
  Ask,
  Engine,
  EngineEvent,
  RunRequest,
  Instruction,
  JobEnded,
  Step,
  Stamped,
} from "#engines/engine";
import { describeFailure } from "#engines/describe-failure";
import type { Problem } from "#engines/problem";
import type { Judgement } from "#engines/reuse";
import { declaredInputs } from "#engines/serial/compare";
import { graphOf, marksOf, nodeOf } from "#engines/serial/graph";
import { judge } from "#engines/serial/judge";
import { leftovers } from "#engines/serial/leftovers";
import { isStep, type Plan, type PlannedCommand, planOf } from "#engines/serial/plan";
import { delayBefore, mayRetry } from "#engines/serial/retries";
import { attemptOf, type Job, succeeded } from "#workflow/job";

/**
 * The state of a serial run. The plan follows from the input, so it is not included: a snapshot of a long run stays
 * small.
 */
interface SerialState {
  /** Position of the command that is running; the number of commands when all have ended. */
  readonly position: number;
  readonly ended: boolean;
  /** Set while the engine waits for the stamps of the files, before the first command. */
  readonly isAsking?: true;
  /** Absent for the first attempt of the command. */
  readonly attempt?: number;
}

/** REANA's serial language: one job per command, strictly one after the other, up to the first that fails. */
export const serialEngine: Engine<SerialState> = {
  language: "serial",
  version: 4,
  check: (input: RunRequest): readonly Problem[] => [...planOf(input).problems, ...unknownStep(input)],
  load(input) {
    const { plan, problems } = planOf(input);
    return {
      start: () => start(input, plan, problems),
      apply: (state, event) => apply(input, plan, state, event),
      graph: () => graphOf(plan),
    };
  },
  reuse: { ask: askFor, judge, leftovers },
};

const LOGGER = "root";
const ASK = "files before the first command";

function unknownStep({ restart, ...input }: RunRequest): Problem[] {
  const wanted = restart?.fromStep ?? null;
  if (wanted === null) return [];
  const names = planOf(input).plan.commands.map(({ stepName }) => stepName);
  if (names.some((name) => isStep(name, wanted))) return [];
  const known = [...new Set(names)].filter((name) => name !== "").join(", ") || "none has a name";
  return [
    { path: "from_step", message: `There is no step "${wanted}" to start from (the steps: ${known}).` },
  ];
}

/** Asks for the declared inputs, so that a later restart can compare them. A restart itself asks for all files. */
function askFor(input: RunRequest): Extract<Ask, { do: "stamp" }> {
  const isWhole = input.restart !== undefined;
  return { do: "stamp", id: ASK, inputs: declaredInputs(input.specification), isWhole };
}

function start(input: RunRequest, plan: Plan, problems: readonly Problem[]): Step<SerialState> {
  const first = { position: 0, ended: false };
  if (problems.length > 0) return failed(first, problems.map((problem) => problem.message).join("\n"));
  const notes = plan.notes.map((line) => log("ERROR", line));
  const opening: Instruction[] = [{ do: "expect", jobs: plan.commandCount }, ...notes];
  const ask = askFor(input);
  if (ask.inputs.length > 0 || ask.isWhole) {
    return { state: { ...first, isAsking: true }, instructions: [...opening, ask] };
  }
  const next = begin(input, plan, undefined);
  return { state: next.state, instructions: [...opening, ...next.instructions] };
}

function apply(input: RunRequest, plan: Plan, state: SerialState, event: EngineEvent): Step<SerialState> {
  if (state.ended) return { state, instructions: [] };
  if (state.isAsking) {
    const isAnswer = (event.kind === "stamped" || event.kind === "refused") && event.id === ASK;
    if (!isAnswer) return { state, instructions: [] };
    return begin(input, plan, event.kind === "stamped" ? event : undefined);
  }
  const current = plan.commands[state.position];
  const isExpected =
    event.kind === "job-ended" && event.key === current?.key && attemptOf(event) === attemptOf(state);
  if (!current || !isExpected) return { state, instructions: [] };
  if (mayRetry(current.retries, event.end, attemptOf(state))) return retry(plan, current, state, event);
  if (!succeeded(event.end)) return failed(state, failureOf(plan, current, event), current.key);
  const { attempt: _, ...next } = state;
  return runCommandAt(plan, { ...next, position: state.position + 1 });
}

/** Submits the next attempt. The recorded end proves that this attempt has stopped running. */
function retry(plan: Plan, command: PlannedCommand, state: SerialState, event: JobEnded): Step<SerialState> {
  const attempt = attemptOf(state) + 1;
  const delayMs = delayBefore(command.retries, attempt);
  const most = command.retries.most + 1;
  const line =
    `${failureOf(plan, command, event)} It is retried (attempt ${attempt} of ${most}), after ${delayMs / 1000} ` +
    "s.";
  const job: Job = { ...jobOf(command), attempt, ...(delayMs > 0 && { delayMs }) };
  return { state: { ...state, attempt }, instructions: [log("INFO", line), { do: "submit", job }] };
}

/** Starts the run. Jobs that a restart takes over are finished before the first command runs. */
function begin(input: RunRequest, plan: Plan, stamped: Stamped | undefined): Step<SerialState> {
  const judged = judge(input, stamped);
  const taken = judged.filter(({ verdict }) => verdict === "taken-over").length;
  const position = taken + judged.filter(({ verdict }) => verdict === "left-out").length;
  const first = { position, ended: false } as const;
  const next = runCommandAt(plan, first);
  const told = judged.slice(0, position + 1).flatMap((one, index) => tell(one, plan.commands[index]!));
  const marks = marksOf(plan, [taken, position]);
  return { state: next.state, instructions: [...told, ...marks, ...next.instructions] };
}

function tell(one: Judgement, command: PlannedCommand): Instruction[] {
  const what = { "taken-over": "is not run", "left-out": "is not run", runs: "is the first to run" }[
    one.verdict
  ];
  const line = log("INFO", `step:${command.stepIndex}, cmd: ${command.command} ${what}. ${one.reason}`);
  if (one.from === null) return [line];
  const { from, reason, stamps } = one;
  return [line, { do: "take-over", job: jobOf(command), from, reason, stamps }];
}

function log(level: "INFO" | "ERROR", line: string): Instruction {
  return { do: "log", logger: LOGGER, level, line };
}

function runCommandAt(plan: Plan, state: SerialState): Step<SerialState> {
  const command = plan.commands[state.position];
  if (!command) return { state: { ...state, ended: true }, instructions: [{ do: "finish" }] };
  // REANA's acceptance tests look for this line, word for word.
  const { stepIndex, command: text } = command;
  const line = `Publishing step:${stepIndex}, cmd: ${text}, total steps ${plan.stepCount} to MQ`;
  return { state, instructions: [log("INFO", line), { do: "submit", job: jobOf(command) }] };
}

function jobOf(command: PlannedCommand): Job {
  return {
    key: command.key,
    name: command.stepName,
    node: nodeOf(command),
    command: { script: command.command },
    displayCommand: command.command,
    image: command.image,
    environment: {},
    ...(command.timeLimitMs !== null && { limits: { timeMs: command.timeLimitMs } }),
    isStamped: true,
    ...(command.memoryBytes > 0 && { resources: { cores: 1, memoryBytes: command.memoryBytes } }),
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
