import type { RunRequest, PreviousRun, Stamped } from "#engines/engine";
import type { Difference, Judgement } from "#engines/reuse";
import { compare } from "#engines/serial/compare";
import { groupsOf } from "#engines/serial/independent";
import { type History, stampsToKeep } from "#engines/serial/evidence";
import { isStep, optionsOf, type PlannedCommand, planOf } from "#engines/serial/plan";

/**
 * Applies the prefix rule: commands are taken over from the first on, as long as each is unchanged, the declared inputs
 * have the same content, and all files that existed when the last of them had ended are untouched. Steps that are
 * independent of each other are judged one by one (`independent.ts`). When in doubt, a command runs again.
 */
export function judge(input: RunRequest, stamped: Stamped | undefined): Judgement[] {
  const { restart } = input;
  if (!restart) return [];
  const { commands } = planOf(input).plan;
  const why = whyNothing(input) ?? (stamped ? undefined : "The files of the workspace could not be checked.");
  const compared = why === undefined ? compare(input, restart.previous!, stamped!) : undefined;
  const from = positionOf(restart.fromStep, commands);
  const held = from === undefined ? compared?.held : undefined;
  const holds = Math.min(compared?.holds ?? 0, from ?? commands.length);
  const isHeld = (position: number) => held?.positions.has(position) ?? position < holds;
  const waits = held ? waitsTest(commands, isHeld) : (position: number) => position !== holds;
  return commands.map((command, position) => {
    const differences = compared?.differences[position] ?? [];
    if (isHeld(position)) return takenOver(command, position > holds, restart.previous!, compared!.history);
    if (position < (from ?? 0)) return judgement(command, "left-out", LEFT_OUT, differences);
    const ownReason = () => whyRun(command, differences, held?.why.get(position), restart.previous!);
    const reason = why ?? whyAsAWhole(restart.fromStep, waits(position)) ?? ownReason();
    return judgement(command, "runs", reason, differences);
  });
}

/** Returns why a command runs regardless of what is known about it, or undefined if that decides. */
function whyAsAWhole(fromStep: string | null, isAfterOthers: boolean): string | undefined {
  if (fromStep !== null) return `The run was asked to run everything from the step "${fromStep}" on.`;
  return isAfterOthers ? "It comes after a command that runs again." : undefined;
}

/** Returns a test of whether a command runs only because an earlier one does, in its step or in an earlier group. */
function waitsTest(
  commands: readonly PlannedCommand[],
  isHeld: (position: number) => boolean,
): (position: number) => boolean {
  const groups = groupsOf(commands);
  const broken = commands.flatMap((_, position) => (isHeld(position) ? [] : [position]));
  const firstBrokenGroup = broken.length === 0 ? Infinity : groups[broken[0]!]!;
  const firstOfStep = new Map<number, number>();
  for (const position of broken) {
    const { stepIndex } = commands[position]!;
    if (!firstOfStep.has(stepIndex)) firstOfStep.set(stepIndex, position);
  }
  return (position) =>
    groups[position]! > firstBrokenGroup || firstOfStep.get(commands[position]!.stepIndex)! < position;
}

const LEFT_OUT = "Skipped: the run was asked to start from a later step.";

/** Returns why no command can be taken over, regardless of the files, or undefined if the files decide. */
function whyNothing(input: RunRequest): string | undefined {
  const { restart } = input;
  const { CACHE, FROM } = optionsOf(input);
  if (restart?.fresh) return "The run was asked to run everything.";
  if (CACHE === "off") return "Everything runs, because the option CACHE is off.";
  if (FROM !== undefined) return "Everything runs from the step that the option FROM names.";
  if (!restart?.previous) return "This is the first run of the workspace.";
  if (restart.previous.hasExternalChange)
    return `Files were changed while ${restart.previous.name} was running: it is unknown which command read them.`;
  const { type } = restart.previous.specification.workflow;
  return type === "serial" ? undefined : `${restart.previous.name} was a ${type} workflow.`;
}

function positionOf(step: string | null, commands: readonly PlannedCommand[]): number | undefined {
  if (step === null) return undefined;
  const position = commands.findIndex(({ stepName }) => isStep(stepName, step));
  return position === -1 ? undefined : position;
}

function judgement(
  { key, stepName, command }: PlannedCommand,
  verdict: Judgement["verdict"],
  reason: string,
  differences: readonly Difference[],
): Judgement {
  return { key, name: stepName, command, verdict, reason, differences, from: null, stamps: null };
}

function takenOver(
  command: PlannedCommand,
  isBesideOthers: boolean,
  previous: PreviousRun,
  history: History,
): Judgement {
  const reason =
    `Taken over from ${previous.name}: its command, its settings and the declared inputs are the same, and ` +
    `the files that it left are untouched.${isBesideOthers ? " It is independent of the steps that run again." : ""}`;
  const index = history.positionOf.get(command.key)!;
  const stamps = stampsToKeep(previous, history, index);
  return { ...judgement(command, "taken-over", reason, []), from: previous.jobs[index]!.id, stamps };
}

function whyRun(
  command: PlannedCommand,
  differences: readonly Difference[],
  whyNotHeld: string | undefined,
  previous: PreviousRun,
): string {
  if (differences.length > 0) return inWords(differences, previous.name);
  return whyNotHeld ?? whyNotDone(command, previous);
}

function whyNotDone({ key }: PlannedCommand, { name, jobs }: PreviousRun): string {
  const job = jobs.find((other) => other.key === key);
  if (!job) return `${name} did not reach it.`;
  if (job.status === "finished") return `${name} ran it in another order.`;
  return job.status === "failed" ? `It failed in ${name}.` : `It was stopped in ${name}.`;
}

function inWords(differences: readonly Difference[], previous: string): string {
  const more = differences.length - 1;
  return sentence(differences[0]!, previous) + (more > 0 ? ` ${more} more differ.` : "");
}

function sentence({ field, before }: Difference, previous: string): string {
  if (field === "files")
    return `There is too much to check: it is unknown whether everything is as ${previous} left it.`;
  const path = field.startsWith("files ") ? field.slice("files ".length) : undefined;
  if (path === undefined) return `${field} has changed since ${previous}.`;
  if (before !== null) return `${path} has changed since ${previous}.`;
  return `${path} is new since ${previous} and not declared under inputs: it is unknown which command would read it.`;
}
