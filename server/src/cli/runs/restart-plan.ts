import { ApiError, type components, type operations, type RepriseClient } from "reprise-sdk";
import { inColumns } from "#cli/terminal/columns";
import { CommandError } from "#cli/failure";
import type { CliContext } from "#cli/context";
import type { Call } from "#cli/call";
import { runParams } from "#cli/run-address";
import { counted } from "#plumbing/text/counted";
import { printable } from "#plumbing/text/printable";

export type ReusePlan = operations["plan-restart"]["responses"][200]["content"]["application/json"];
type PlannedJob = ReusePlan["jobs"][number];

/** Longer commands are truncated: the specification has them in full. */
const COMMAND_SHOWN_MAX = 60;
const LABEL_SHOWN_MAX = 80;
const VALUE_SHOWN_MAX = 80;
/** Number of common characters shown before the first difference of two values. */
const ALIKE_SHOWN = 20;
const SENTENCE_SHOWN_MAX = 500;

/** Returns the plan, or undefined for a language that reuses nothing. Throws if the server would refuse the restart. */
export async function restartPlan(
  client: RepriseClient,
  run: string,
  body: object,
): Promise<ReusePlan | undefined> {
  try {
    const { data } = await client.POST("/api/workflows/{workflow_id_or_name}/restart-plan", {
      params: runParams(run),
      body: body as components["schemas"] & object,
    });
    return data!;
  } catch (error) {
    if (error instanceof ApiError && error.status === 501) return undefined;
    throw error;
  }
}

/**
 * Returns the plan for a command that prints only its numbers. Undefined also if the language cannot plan:
 * reading a Snakefile may change files, but a plan must not change files.
 */
export async function planIfAny(
  client: RepriseClient,
  run: string,
  body: object,
): Promise<ReusePlan | undefined> {
  try {
    return await restartPlan(client, run, body);
  } catch (error) {
    if (error instanceof ApiError && error.code === "conflict") return undefined;
    throw error;
  }
}

export interface Told {
  readonly plan: ReusePlan | undefined;
  readonly verb: "restart" | "rerun";
}

/** Prints the jobs to keep and the jobs to run, with reasons. */
export function printPlan(cli: CliContext, call: Call, { plan, verb }: Told): number {
  if (!plan) throw new CommandError(`A ${verb} in this language reuses nothing: everything runs.`);
  if (call.flags("json")) cli.print(JSON.stringify(plan));
  else for (const line of inWords(plan, verb)) cli.print(line);
  return 0;
}

/** Returns `: 2 commands reused, 2 to run`, or an empty string without a plan. */
export function reuseSummary(plan: ReusePlan | undefined): string {
  if (!plan) return "";
  const { taken_over: reused, runs, left_out: skipped } = plan;
  const counts = [
    ...(reused > 0 ? [`${counted(reused, "command")} reused`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  return `: ${[...counts, `${counts.length > 0 ? runs : counted(runs, "command")} to run`].join(", ")}`;
}

function* inWords(plan: ReusePlan, verb: Told["verb"]): Generator<string> {
  const rows = plan.jobs.map((job) => [
    ACTIONS[job.verdict],
    printable(job.label || "-", LABEL_SHOWN_MAX),
    commandOf(job),
  ]);
  const [head, ...lines] = inColumns([["ACTION", "STEP", "COMMAND"], ...rows]);
  yield head!;
  let told = "";
  for (const [index, job] of plan.jobs.entries()) {
    yield lines[index]!;
    // A reason often applies to all following jobs, and is printed once.
    if (job.reason !== told) yield `    ${printable(job.reason, SENTENCE_SHOWN_MAX)}`;
    told = job.reason;
    // The reason says already how the command ended.
    for (const { field, before, now } of job.differences.filter((one) => one.field !== "status"))
      yield `    ${printable(field, VALUE_SHOWN_MAX)}: ${changeOf(before, now)}`;
  }
  if (!plan.complete) yield "Jobs that depend on these are decided when their turn comes.";
  yield summaryOf(plan, verb);
}

const ACTIONS: Readonly<Record<PlannedJob["verdict"], string>> = {
  "taken-over": "keep",
  runs: "run",
  "left-out": "skip",
};

function commandOf({ display_command: command }: PlannedJob): string {
  return printable(command, COMMAND_SHOWN_MAX);
}

/** Shows both values from shortly before the place where they begin to differ: long commands often begin alike. */
function changeOf(before: unknown, now: unknown): string {
  const [one, other] = [textOf(before), textOf(now)];
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  const from = start > VALUE_SHOWN_MAX / 2 ? start - ALIKE_SHOWN : 0;
  return [one, other].map((text) => shownFrom(text, from)).join(" -> ");
}

function shownFrom(text: string, from: number): string {
  return `${from > 0 ? "…" : ""}${printable(text.slice(from), VALUE_SHOWN_MAX)}`;
}

function textOf(value: unknown): string {
  return value === null ? "nothing" : JSON.stringify(value);
}

function summaryOf(plan: ReusePlan, verb: Told["verb"]): string {
  const { workflow_name: name, jobs, taken_over: takenOver, runs, left_out: leftOut } = plan;
  const parts = [
    `run ${runs} of ${counted(jobs.length, "command")}`,
    ...(takenOver > 0 ? [`keep ${takenOver}`] : []),
    ...(leftOut > 0 ? [`skip ${leftOut}`] : []),
  ];
  return `A ${verb} of ${name} would ${parts.join(", ")}. Nothing was changed.`;
}
