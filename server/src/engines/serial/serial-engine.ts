import { isDeepStrictEqual } from "node:util";
import type {
  Ask,
  Engine,
  EngineEvent,
  RunRequest,
  Instruction,
  JobEndEvent,
  Step,
  Stamped,
} from "#engines/engine";
import { describeFailure } from "#engines/describe-failure";
import type { Problem } from "#engines/problem";
import type { Judgement } from "#engines/reuse";
import { countWhile, declaredInputs } from "#engines/serial/compare";
import { graphOf, marksOf, nodeOf } from "#engines/serial/graph";
import { imagesOf } from "#engines/serial/images";
import { judge } from "#engines/serial/judge";
import { leftovers } from "#engines/serial/leftovers";
import { type Failures, reasonOf, withFailure } from "#engines/serial/on-failure";
import { isStep, type Plan, type PlannedCommand, planOf } from "#engines/serial/plan";
import { mayRetry, nextAttempt } from "#engines/steps/retries";
import type { Decision } from "#workflow/job/decision";
import { withGpus } from "#workflow/job/gpus";
import { attemptOf, type Job, type Resources, succeeded } from "#workflow/job/job";

/**
 * The state of a serial run. The plan follows from the input and is not included, which keeps snapshots of long runs
 * small.
 */
interface SerialState {
  /** Position of the running command; the number of commands after the end of all commands. */
  readonly position: number;
  readonly ended: boolean;
  /** Set while the engine waits for the stamps of the files, before the first command. */
  readonly isAsking?: true;
  /** Number of the command's attempt, from the second on. */
  readonly attempt?: number;
  /** Commands after `position` taken over by a restart, because they are independent of earlier commands. */
  readonly ahead?: readonly number[];
  /** Failed commands, while independent steps continue. */
  readonly failures?: Failures;
  /** Reasons why commands run again: each reason holds from its position up to the next reason. Only in a restart. */
  readonly reasons?: readonly ReasonFrom[];
}

interface ReasonFrom {
  readonly position: number;
  readonly decision: Decision;
}

/**
 * REANA's serial language: one job per command, strictly in sequence, up to the first failed command, or to the end of
 * the steps independent of the failed step.
 */
export const serialEngine: Engine<SerialState> = {
  language: "serial",
  version: 9,
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

/** Asks for the declared inputs, to be compared in a later restart. A restart itself asks for all files and images. */
function askFor(input: RunRequest): Extract<Ask, { do: "stamp" }> {
  const isWhole = input.restart !== undefined;
  const inputs = declaredInputs(input.specification);
  return { do: "stamp", id: ASK, inputs, isWhole, ...(isWhole && { images: imagesOf(planOf(input).plan) }) };
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
  const { attempt: _, ...next } = state;
  if (!succeeded(event.end)) return afterFailure(plan, current, next, event);
  return runNext(plan, { ...next, position: state.position + 1 });
}

/** Leaves out the rest of the step. Ends the run, unless the step is independent of its neighbours. */
function afterFailure(
  plan: Plan,
  command: PlannedCommand,
  state: SerialState,
  event: JobEndEvent,
): Step<SerialState> {
  const sentence = failureOf(plan, command, event);
  if (!command.isIndependent) return failed(state, sentence, command.key);
  const failures = withFailure(state.failures, state.position, sentence);
  let { position } = state;
  while (plan.commands[position]?.stepIndex === command.stepIndex) position += 1;
  const next = runNext(plan, { ...state, failures, position });
  const line = log("ERROR", `${sentence} Steps that are independent of it still run.`);
  return { state: next.state, instructions: [line, ...next.instructions] };
}

/** Runs the next command not taken over. After a failure, only independent steps continue. */
function runNext(plan: Plan, state: SerialState): Step<SerialState> {
  const { ahead = [], ...rest } = state;
  const skipped = countWhile(ahead, (at, index) => at === state.position + index);
  const position = state.position + skipped;
  const left = ahead.slice(skipped);
  const next: SerialState = { ...rest, position, ...(left.length > 0 && { ahead: left }) };
  const command = plan.commands[position];
  if (!state.failures || command?.isIndependent) return runCommandAt(plan, next);
  const firstNotRun = command && stepInWords(command);
  const first = plan.commands[state.failures.positions[0]!]!;
  return failed(next, reasonOf(state.failures, firstNotRun), first.key);
}

/** Submits the next attempt. The recorded end proves that the previous attempt has stopped running. */
function retry(
  plan: Plan,
  command: PlannedCommand,
  state: SerialState,
  event: JobEndEvent,
): Step<SerialState> {
  const sentence = failureOf(plan, command, event);
  const next = nextAttempt(command.retries, event.end, attemptOf(state), sentence);
  const { attempt, delayMs, why, line } = next;
  const job: Job = { ...jobOf(command), attempt, ...(delayMs > 0 && { delayMs }) };
  return { state: { ...state, attempt }, instructions: [log("INFO", line), submitted(job, why)] };
}

/** Starts the run. Taken-over jobs are finished before the first command runs. */
function begin(input: RunRequest, plan: Plan, stamped: Stamped | undefined): Step<SerialState> {
  const judged = judge(input, stamped);
  const firstToRun = judged.findIndex(({ verdict }) => verdict === "runs");
  const position = firstToRun === -1 ? judged.length : firstToRun;
  const taken = countWhile(judged, ({ verdict }) => verdict === "taken-over");
  const ahead = judged.flatMap(({ verdict }, at) => (at > position && verdict === "taken-over" ? [at] : []));
  const reasons = reasonsOf(judged);
  const first = {
    position,
    ended: false,
    ...(ahead.length > 0 && { ahead }),
    ...(reasons.length > 0 && { reasons }),
  };
  const next = runCommandAt(plan, first);
  const isTold = (one: Judgement, at: number) => at <= position || one.verdict === "taken-over";
  const told = judged.flatMap((one, at) => (isTold(one, at) ? tell(one, plan.commands[at]!) : []));
  const marks = marksOf(plan, [Math.min(taken, position), position]);
  return { state: next.state, instructions: [...told, ...marks, ...next.instructions] };
}

/** Returns the reasons of commands. Consecutive equal reasons share an entry, which keeps the state short. */
function reasonsOf(judged: readonly Judgement[]): ReasonFrom[] {
  const reasons: ReasonFrom[] = [];
  for (const [position, { verdict, decision }] of judged.entries()) {
    if (verdict === "runs" && !isDeepStrictEqual(reasons.at(-1)?.decision, decision))
      reasons.push({ position, decision });
  }
  return reasons;
}

function tell(one: Judgement, command: PlannedCommand): Instruction[] {
  const what = { "taken-over": "is not run", "left-out": "is not run", runs: "is the first to run" }[
    one.verdict
  ];
  const line = log(
    "INFO",
    `step:${command.stepIndex}, cmd: ${command.command} ${what}. ${one.decision.sentence}`,
  );
  if (one.from === null) return [line];
  const { from, decision, stamps } = one;
  return [line, { do: "take-over", job: jobOf(command), from, decision, stamps }];
}

function log(level: "INFO" | "ERROR", line: string): Instruction {
  return { do: "log", logger: LOGGER, level, line };
}

function runCommandAt(plan: Plan, state: SerialState): Step<SerialState> {
  const command = plan.commands[state.position];
  if (!command) return { state: { ...state, ended: true }, instructions: [{ do: "finish" }] };
  // REANA's acceptance tests look for this exact line.
  const { stepIndex, command: text } = command;
  const line = `Publishing step:${stepIndex}, cmd: ${text}, total steps ${plan.stepCount} to MQ`;
  const why = state.reasons?.findLast(({ position }) => position <= state.position);
  return { state, instructions: [log("INFO", line), submitted(jobOf(command), why?.decision)] };
}

function submitted(job: Job, decision: Decision | undefined): Instruction {
  return { do: "submit", job, ...(decision && { decision }) };
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
    ...limitsOf(command),
    isStamped: true,
    ...(command.backend && { backend: command.backend }),
    ...(command.user && { user: command.user }),
    ...(command.mounts && { mounts: command.mounts }),
    ...command.credentials,
    ...withGpus(reservation(command), command.gpus ?? 0),
  };
}

function reservation({ memoryBytes }: PlannedCommand): Resources | undefined {
  return memoryBytes > 0 ? { cores: 1, memoryBytes } : undefined;
}

function limitsOf({ timeLimitMs, memoryBytes, cores }: PlannedCommand): Pick<Job, "limits"> {
  const limits = {
    ...(timeLimitMs !== null && { timeMs: timeLimitMs }),
    ...(memoryBytes > 0 && { memoryBytes }),
    ...(cores !== undefined && { cores }),
  };
  return Object.keys(limits).length === 0 ? {} : { limits };
}

function failureOf(plan: Plan, command: PlannedCommand, event: JobEndEvent): string {
  const number = Number(command.key.split(".")[1]);
  const ofStep = plan.commands.filter((other) => other.stepIndex === command.stepIndex).length;
  const what = stepInWords(command) + (ofStep > 1 ? ` (command ${number + 1} of ${ofStep})` : "");
  return describeFailure(what, event.end);
}

function stepInWords({ key, stepName }: PlannedCommand): string {
  return stepName ? `Step "${stepName}"` : `Step ${Number(key.split(".")[0]) + 1}`;
}

function failed(state: SerialState, reason: string, job?: string): Step<SerialState> {
  const fail: Instruction = job === undefined ? { do: "fail", reason } : { do: "fail", reason, job };
  return { state: { ...state, ended: true }, instructions: [fail] };
}
