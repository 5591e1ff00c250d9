import type { RunRequest, PreviousRun, Restart, Stamped } from "#engines/engine";
import type { Difference, Judgement } from "#engines/reuse";
import { compare } from "#engines/serial/compare";
import { type History, stampsToKeep } from "#engines/serial/evidence";
import { isStep, optionsOf, type PlannedCommand, planOf } from "#engines/serial/plan";

/**
 * Applies the prefix rule: commands are taken over from the first on, as long as each is unchanged, the declared inputs
 * have the same content, and all files that existed when the last of them had ended are untouched. When in doubt, a
 * command runs again.
 */
export function judge(input: RunRequest, stamped: Stamped | undefined): Judgement[] {
  const { restart } = input;
  if (!restart) return [];
  const { commands } = planOf(input).plan;
  const why = whyNothing(input) ?? (stamped ? undefined : "The files of the workspace could not be checked.");
  const compared = why === undefined ? compare(input, restart.previous!, stamped!) : undefined;
  const from = positionOf(restart.fromStep, commands);
  const holds = Math.min(compared?.holds ?? 0, from ?? commands.length);
  return commands.map((command, position) => {
    const differences = compared?.differences[position] ?? [];
    if (position < holds) return takenOver(command, position, restart.previous!, compared!.history);
    if (position < (from ?? 0)) return judgement(command, "left-out", LEFT_OUT, differences);
    const isFirst = position === holds && from === undefined;
    const reason = why ?? whyRun(isFirst, command, differences, position, restart);
    return judgement(command, "runs", reason, differences);
  });
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
  position: number,
  previous: PreviousRun,
  history: History,
): Judgement {
  const reason =
    `Taken over from ${previous.name}: its command, its settings and the declared inputs are the same, and ` +
    "the files that it left are untouched.";
  const stamps = stampsToKeep(previous, history, position);
  return { ...judgement(command, "taken-over", reason, []), from: previous.jobs[position]!.id, stamps };
}

function whyRun(
  isFirst: boolean,
  command: PlannedCommand,
  differences: readonly Difference[],
  position: number,
  { previous, fromStep }: Restart,
): string {
  if (fromStep !== null) return `The run was asked to run everything from the step "${fromStep}" on.`;
  if (!isFirst) return "It comes after a command that runs again.";
  if (differences.length > 0) return inWords(differences, previous!.name);
  return whyNotDone(command, position, previous!);
}

function whyNotDone({ key }: PlannedCommand, position: number, { name, jobs }: PreviousRun): string {
  const job = jobs[position];
  if (job?.key !== key) return `${name} did not reach it.`;
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
