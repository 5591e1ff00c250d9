import type { RunRequest, PreviousRun, Stamped } from "#engines/engine";
import type { Judgement } from "#engines/reuse";
import { compare, type Comparison } from "#engines/serial/compare";
import { changedBy, decision } from "#engines/serial/prefix-decisions";
import { stampsToKeep } from "#engines/serial/evidence";
import { groupsOf } from "#engines/serial/independent";
import { ON_FAILURE } from "#engines/serial/on-failure";
import { isStep, optionsOf, type PlannedCommand, planOf } from "#engines/serial/plan";
import { type Decision, type Difference, fact } from "#workflow/job/decision";

/**
 * Applies the prefix rule: commands are reused from the first on, as long as each command is unchanged, the declared
 * inputs have the same content, and all files that existed at the end of the last reused command are untouched.
 * Independent steps are judged separately (`independent.ts`). When in doubt, a command runs again.
 */
export function judge(input: RunRequest, stamped: Stamped | undefined): Judgement[] {
  const { restart } = input;
  if (!restart) return [];
  const { commands } = planOf(input).plan;
  const why = whyNothing(input) ?? (stamped ? undefined : decision("unchecked", [fact("files", null)], ""));
  const compared = why === undefined ? compare(input, restart.previous!, stamped!) : undefined;
  const from = positionOf(restart.fromStep, commands);
  const held = from === undefined ? compared?.held : undefined;
  const holds = Math.min(compared?.holds ?? 0, from ?? commands.length);
  const isHeld = (position: number) => held?.positions.has(position) ?? position < holds;
  const broken = [...commands.keys()].filter((position) => !isHeld(position));
  const neededBy = held ? firstNeeded(commands, broken) : () => broken[0];
  return commands.map((command, position) => {
    const differences = compared?.differences[position] ?? [];
    if (isHeld(position))
      return takenOver(command, position > (broken[0] ?? Infinity), restart.previous!, compared!);
    if (position < (from ?? 0)) {
      const leftOut = decision("left-out", [fact("from_step", restart.fromStep)], "");
      return judgement(command, "left-out", leftOut, differences);
    }
    const needed = neededBy(position)!;
    const reason =
      why ??
      whyAsAWhole(restart.fromStep, needed === position ? undefined : commands[needed]) ??
      whyRun(command, position, restart.previous!, compared!);
    return judgement(command, "runs", reason, differences);
  });
}

/** Returns why a command must run. Undefined if the decision depends on its files. */
function whyAsAWhole(fromStep: string | null, needed: PlannedCommand | undefined): Decision | undefined {
  if (fromStep !== null) return decision("from-step", [fact("from_step", fromStep)], "");
  return needed && decision("follows", [fact("first_to_run", needed.key)], "");
}

/**
 * Returns a function from the position of a command to the position of the rerun command it needs: the first rerun
 * command of all if in an earlier group, or else the first in the same step, possibly the command itself.
 */
function firstNeeded(
  commands: readonly PlannedCommand[],
  broken: readonly number[],
): (position: number) => number | undefined {
  const groups = groupsOf(commands);
  const firstOfStep = new Map<number, number>();
  for (const position of broken) {
    const { stepIndex } = commands[position]!;
    if (!firstOfStep.has(stepIndex)) firstOfStep.set(stepIndex, position);
  }
  return (position) =>
    groups[position]! > groups[broken[0]!]! ? broken[0] : firstOfStep.get(commands[position]!.stepIndex);
}

/** Returns why no command can be taken over, regardless of the files, or undefined if the files decide. */
function whyNothing(input: RunRequest): Decision | undefined {
  const { fresh, previous } = input.restart!;
  const { CACHE, FROM } = optionsOf(input);
  if (fresh) return decision("fresh", [fact("fresh", true)], "");
  if (CACHE === "off") return decision("cache-off", [fact("options.CACHE", CACHE)], "");
  if (FROM !== undefined) return decision("from-option", [fact("options.FROM", FROM)], "");
  if (!previous) return decision("first-run", [fact("previous", null)], "");
  if (previous.hasExternalChange)
    return decision("changed-meanwhile", [fact("external_change", null, true)], previous.name);
  const { type } = previous.specification.workflow;
  if (type === "serial") return undefined;
  return decision("other-language", [fact("workflow.type", "serial", type)], previous.name);
}

function positionOf(step: string | null, commands: readonly PlannedCommand[]): number | undefined {
  if (step === null) return undefined;
  const position = commands.findIndex(({ stepName }) => isStep(stepName, step));
  return position === -1 ? undefined : position;
}

function judgement(
  { key, stepName, command }: PlannedCommand,
  verdict: Judgement["verdict"],
  why: Decision,
  differences: readonly Difference[],
): Judgement {
  return { key, name: stepName, command, verdict, decision: why, differences, from: null, stamps: null };
}

function takenOver(
  command: PlannedCommand,
  isBesideOthers: boolean,
  previous: PreviousRun,
  { history, same }: Comparison,
): Judgement {
  const why = isBesideOthers
    ? decision("taken-over-beside", [...same(command), fact(ON_FAILURE, "finish")], previous.name)
    : decision("taken-over", same(command), previous.name);
  const index = history.positionOf.get(command.key)!;
  const stamps = stampsToKeep(previous, history, index);
  return { ...judgement(command, "taken-over", why, []), from: previous.jobs[index]!.id, stamps };
}

function whyRun(
  { key }: PlannedCommand,
  position: number,
  { name, jobs }: PreviousRun,
  { differences, held, history }: Comparison,
): Decision {
  const own = differences[position]!;
  if (own.length > 0) return changedBy(own, name);
  const touched = held?.why.get(position);
  if (touched) return touched;
  const index = history.positionOf.get(key);
  const status = index === undefined ? null : jobs[index]!.status;
  if (status === null) return decision("not-reached", [fact("status", null)], name);
  if (status === "finished") return decision("other-order", [fact("position", position, index)], name);
  const kind = status === "failed" ? "failed-before" : "stopped-before";
  return decision(kind, [fact("status", null, status)], name);
}
