import type { RunRequest, PreviousRun, Stamped } from "#engines/engine";
import type { Difference } from "#workflow/job/decision";
import {
  changesAfterEach,
  type History,
  historyOf,
  inputChanges,
  FILES_UNKNOWN,
  isRemoved,
  unexplainedChanges,
} from "#engines/serial/evidence";
import { type Evidence, type Held, independentlyReusable } from "#engines/serial/independent";
import { compareImages, type ImageComparison } from "#engines/serial/images";
import { type PlannedCommand, planOf } from "#engines/serial/plan";
import { REMOVED_STAMP } from "#workflow/job/file-stamps";
import { differs } from "#workflow/job/job-contents";
import { isObject } from "#workflow/specification/shape";
import type { Specification } from "#workflow/specification/specification";
import { pathsIn } from "#workflow/specification/declared-paths";

export interface Comparison {
  /** Number of leading commands that can be reused. */
  readonly holds: number;
  /** Set if as much or more can be taken over, because some steps are independent of others. */
  readonly held?: Held;
  /** For each command. */
  readonly differences: readonly (readonly Difference[])[];
  readonly history: History;
  /** Returns the unchanged facts about a command that justify reusing its job. */
  same(command: PlannedCommand): readonly Difference[];
}

export function compare(input: RunRequest, previous: PreviousRun, stamped: Stamped): Comparison {
  const { plan } = planOf(input);
  const { commands } = plan;
  const before = new Map(planOf(previous).plan.commands.map((command) => [command.key, command]));
  const images = compareImages(plan, previous, stamped);
  const own = commands.map((command) => [
    ...ownDifferences(before.get(command.key), command),
    ...images(command).filter(differs),
  ]);
  const history = historyOf(previous);
  const outside = [
    ...outsideDifferences(input, previous, stamped),
    ...unexplainedChanges(previous, history, stamped),
  ];
  const isEqual = ({ key }: PlannedCommand, position: number) =>
    own[position]!.length === 0 && isDone(previous, key, position);
  const equalCount = countWhile(commands, isEqual);
  const left = [...changesAfterEach(previous, history, equalCount, stamped)];
  const isWhole = equalCount === commands.length && left.at(-1)?.some(isRemoved);
  const needsNone = isWhole && needsNoRemoved(previous, history, stamped, equalCount);
  const untouched = needsNone ? equalCount : left.findLastIndex((changes) => changes?.length === 0) + 1;
  const holds = outside.length > 0 ? 0 : untouched;
  const mayHoldMore = holds < commands.length && outside.length === 0;
  const held = mayHoldMore ? maybeHeldMore(commands, own, { previous, history, stamped }) : undefined;
  return {
    history,
    same: sameFacts(history, stamped, images),
    holds,
    ...(held && held.positions.size >= holds && { held }),
    differences: commands.map((_, position) =>
      eachFieldOnce([
        ...own[position]!,
        ...(position === 0 ? outside : []),
        ...(position < equalCount ? (left[position] ?? [FILES_UNKNOWN]) : []),
      ]),
    ),
  };
}

/** Returns whether every command can be reused, so that no command reads the removed intermediate files. */
function needsNoRemoved(previous: PreviousRun, history: History, stamped: Stamped, count: number): boolean {
  const changes = [...changesAfterEach(previous, history, count, stamped, (one) => !isRemoved(one))];
  return changes.at(-1)?.length === 0;
}

/** Maximum number of reported facts of one kind: a person reads only the first few. */
const TOLD_MAX = 20;

/** Returns a function that lists the facts that justify reusing a command. */
function sameFacts({ touched, positionOf }: History, { inputs }: Stamped, images: ImageComparison) {
  const same = (field: string, value: unknown): Difference => ({ field, before: value, now: value });
  const ofInputs = (inputs ?? [])
    .slice(0, TOLD_MAX)
    .map(({ path, sha256, stamp }) => same(`inputs ${path}`, sha256 ?? stamp));
  const declared = new Set((inputs ?? []).map(({ path }) => path));
  return (planned: PlannedCommand): Difference[] => [
    same("command", planned.command),
    ...Object.entries(planned.settings).map(([name, value]) => same(name, value)),
    ...images(planned),
    ...ofInputs,
    ...[...(touched[positionOf.get(planned.key)!] ?? [])]
      .filter(([path, stamp]) => stamp !== null && stamp !== REMOVED_STAMP && !declared.has(path))
      .slice(0, TOLD_MAX)
      .map(([path, stamp]) => same(`files ${path}`, stamp)),
  ];
}

function eachFieldOnce(differences: readonly Difference[]): Difference[] {
  return [...new Map(differences.map((one) => [one.field, one])).values()];
}

/** Also compares the position: if the run left a command out, the later commands did not follow the same commands. */
function isDone(previous: PreviousRun, key: string, position: number): boolean {
  const job = previous.jobs[position];
  return job?.key === key && job.status === "finished";
}

function maybeHeldMore(
  commands: readonly PlannedCommand[],
  own: readonly (readonly Difference[])[],
  evidence: Evidence,
): Held | undefined {
  if (!commands.some(({ isIndependent }) => isIndependent)) return undefined;
  const finished = new Set(
    evidence.previous.jobs.filter(({ status }) => status === "finished").map(({ key }) => key),
  );
  const isCandidate = (position: number) =>
    own[position]!.length === 0 && finished.has(commands[position]!.key);
  return independentlyReusable(commands, isCandidate, evidence);
}

/** Returns the number of leading items that satisfy the predicate. */
export function countWhile<Item>(items: readonly Item[], is: (item: Item, index: number) => boolean): number {
  const first = items.findIndex((item, index) => !is(item, index));
  return first === -1 ? items.length : first;
}

function ownDifferences(before: PlannedCommand | undefined, now: PlannedCommand): Difference[] {
  if (!before) return [];
  return [...commandDifferences(before, now), ...entryDifferences("", before.settings, now.settings)];
}

/** Compares expanded commands: equal text means equal commands, even if template and parameters differ. */
function commandDifferences(before: PlannedCommand, now: PlannedCommand): Difference[] {
  if (before.command === now.command) return [];
  if (before.template !== now.template)
    return [{ field: "command", before: before.command, now: now.command }];
  return entryDifferences("parameters.", before.parameters, now.parameters);
}

type Entries = Readonly<Record<string, unknown>>;

function entryDifferences(prefix: string, before: Entries, now: Entries): Difference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return names
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]))
    .map((name) => ({ field: `${prefix}${name}`, before: before[name] ?? null, now: now[name] ?? null }));
}

function outsideDifferences(input: RunRequest, previous: PreviousRun, stamped: Stamped): Difference[] {
  const [before, now] = [previous, input].map(resourcesOf);
  const declared = [declaredInputs(previous.specification), declaredInputs(input.specification)] as const;
  return [
    ...entryDifferences("workflow.resources.", before!, now!),
    ...inputChanges(previous.inputs, declared, stamped.inputs),
  ];
}

const DASK_SIZES: ReadonlySet<string> = new Set([
  "number_of_workers",
  "single_worker_memory",
  "single_worker_threads",
]);

/** Returns the resources given to all steps, without sizes: `cvmfs`, `kerberos`, the image of `dask`. */
function resourcesOf({ specification }: Pick<RunRequest, "specification">): Entries {
  const declared: unknown = specification.workflow["resources"];
  if (!isObject(declared)) return {};
  const { dask } = declared;
  if (!isObject(dask)) return declared;
  const kinds = Object.entries(dask).filter(([name]) => !DASK_SIZES.has(name));
  return { ...declared, dask: Object.fromEntries(kinds) };
}

/** Returns the declared files and directories in a fixed order, independent of the order of declaration. */
export function declaredInputs({ inputs }: Specification): string[] {
  return pathsIn(inputs).toSorted();
}
