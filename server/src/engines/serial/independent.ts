import type { PreviousRun, Stamped } from "#engines/engine";
import { changedBy, decision } from "#engines/serial/prefix-decisions";
import { changeSince, type History, isSpecification } from "#engines/serial/evidence";
import type { PlannedCommand } from "#engines/serial/plan";
import { type Decision, type Difference, fact } from "#workflow/job/decision";

/** The commands that a restart can take over although other commands run again, and the reasons against the rest. */
export interface Held {
  readonly positions: ReadonlySet<number>;
  /** Decisions for commands that look unchanged but cannot be taken over. */
  readonly why: ReadonlyMap<number, Decision>;
}

/**
 * Neighbouring steps with `on_failure: finish` form a group: by the author's word, they are independent. Each other
 * step is a group by itself. A group needs all groups before it; a command needs all commands before it in its step.
 */
export function groupsOf(commands: readonly PlannedCommand[]): readonly number[] {
  let group = 0;
  return commands.map((command, position) => {
    const before = commands[position - 1];
    const isSame =
      !before || before.stepIndex === command.stepIndex || (before.isIndependent && command.isIndependent);
    if (!isSame) group += 1;
    return group;
  });
}

export interface Evidence {
  readonly previous: PreviousRun;
  readonly history: History;
  readonly stamped: Stamped;
}

/**
 * Returns the candidates that can be taken over although other commands run again. The stamps prove two things: the
 * files of a candidate are unchanged since the run, and no command that runs again has touched them. If the workspace
 * was not inspected after some command, files cannot be attributed to commands. In this case, undefined is returned,
 * and the prefix rule alone decides.
 */
export function independentlyReusable(
  commands: readonly PlannedCommand[],
  isCandidate: (position: number) => boolean,
  evidence: Evidence,
): Held | undefined {
  const { previous, history } = evidence;
  const why = new Map<number, Decision>();
  const isReached = ({ reason }: { readonly reason: string | null }) => reason !== "not-started";
  const isSeen = previous.jobs.every((job, index) => !isReached(job) || history.touched[index]);
  if (!isSeen) return undefined;
  const groups = groupsOf(commands);
  const files = touchedFiles(commands, evidence);
  let held = new Set([...commands.keys()].filter(isCandidate));
  for (;;) {
    const before = held.size;
    held = withoutDependents(commands, groups, held);
    for (const file of files) dropTouchers(file, held, why, { commands, runName: previous.name });
    if (held.size === before) return { positions: held, why };
  }
}

interface TouchedFile {
  readonly path: string;
  /** Positions of the commands that touched the file. */
  readonly by: readonly number[];
  /** True if a job that is not a command of this run also touched the file. */
  readonly isByOthers: boolean;
  readonly change: Difference | undefined;
}

function touchedFiles(commands: readonly PlannedCommand[], evidence: Evidence): TouchedFile[] {
  const { previous, history, stamped } = evidence;
  const positions = new Map(commands.map(({ key }, position) => [key, position]));
  const changeOf = changeSince(previous, history, stamped);
  const touchers = new Map<string, (number | undefined)[]>();
  for (const [index, job] of previous.jobs.entries()) {
    for (const path of history.touched[index]?.keys() ?? []) {
      const known = touchers.get(path);
      if (known) known.push(positions.get(job.key));
      else touchers.set(path, [positions.get(job.key)]);
    }
  }
  return [...touchers]
    .filter(([path]) => !isSpecification(path))
    .map(([path, all]) => ({
      path,
      by: all.filter((position) => position !== undefined),
      isByOthers: all.includes(undefined),
      change: changeOf(path),
    }));
}

/** Drops the commands that touched a changed file, or a file also touched by a command that runs again. */
function dropTouchers(
  { path, by, isByOthers, change }: TouchedFile,
  held: Set<number>,
  why: Map<number, Decision>,
  { commands, runName }: { readonly commands: readonly PlannedCommand[]; readonly runName: string },
): void {
  const runsAgain = by.find((position) => !held.has(position));
  if (!change && !isByOthers && runsAgain === undefined) return;
  const toucher = runsAgain === undefined ? null : commands[runsAgain]!.key;
  const reason = change
    ? changedBy([change], runName)
    : decision("shares-file", [fact(`touched ${path}`, toucher)], runName);
  for (const position of by) if (held.delete(position)) why.set(position, reason);
}

/** Removes the commands after a command that runs again, in its step or in a later group. */
function withoutDependents(
  commands: readonly PlannedCommand[],
  groups: readonly number[],
  held: ReadonlySet<number>,
): Set<number> {
  const left = new Set<number>();
  let brokenGroup = Infinity;
  let brokenStep = -1;
  for (const [position, { stepIndex }] of commands.entries()) {
    if (groups[position]! > brokenGroup) break;
    if (held.has(position) && stepIndex !== brokenStep) left.add(position);
    else [brokenGroup, brokenStep] = [groups[position]!, stepIndex];
  }
  return left;
}
