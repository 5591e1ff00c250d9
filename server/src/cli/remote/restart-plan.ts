import type { components, operations } from "reprise-sdk";
import { inColumns } from "#cli/columns";
import type { CliHost } from "#cli/host";
import type { Call } from "#cli/remote/call";
import { openClient } from "#cli/remote/open-client";
import { parametersOf } from "#cli/remote/parameters";
import { of } from "#cli/remote/workflow-address";
import { printable } from "#plumbing/printable";

type Plan = operations["plan-restart"]["responses"][200]["content"]["application/json"];
type PlannedJob = Plan["jobs"][number];

/** Longer commands are cut: they can be read in the specification. */
const COMMAND_SHOWN_MAX = 60;
const VALUE_SHOWN_MAX = 80;
const SENTENCE_SHOWN_MAX = 500;

/** What a restart would take over and what it would run, and why: nothing is changed. */
export async function tellRestartPlan(
  host: CliHost,
  call: Call,
  { workflow, body }: { readonly workflow: string; readonly body: object },
): Promise<number> {
  const client = await openClient(host, call);
  const input_parameters = await parametersOf(client, workflow, call);
  const asked: object = { ...body, input_parameters };
  const { data } = await client.POST("/api/workflows/{workflow_id_or_name}/restart-plan", {
    params: of(workflow),
    body: asked as components["schemas"] & object,
  });
  if (call.flags("json")) host.print(JSON.stringify(data));
  else for (const line of inWords(data!)) host.print(line);
  return 0;
}

function* inWords(plan: Plan): Generator<string> {
  const rows = plan.jobs.map((job) => [ACTIONS[job.verdict], job.name || "-", commandOf(job)]);
  const [head, ...lines] = inColumns([["ACTION", "STEP", "COMMAND"], ...rows]);
  yield head!;
  let told = "";
  for (const [index, job] of plan.jobs.entries()) {
    yield lines[index]!;
    // One reason often holds for all that follow.
    if (job.reason !== told) yield `    ${printable(job.reason, SENTENCE_SHOWN_MAX)}`;
    told = job.reason;
    for (const { field, before, now } of job.differences)
      yield `    ${printable(field, VALUE_SHOWN_MAX)}: ${valueOf(before)} -> ${valueOf(now)}`;
  }
  yield summaryOf(plan);
}

const ACTIONS: Readonly<Record<PlannedJob["verdict"], string>> = {
  "taken-over": "keep",
  runs: "run",
  "left-out": "skip",
};

function commandOf({ command }: PlannedJob): string {
  return printable(command, COMMAND_SHOWN_MAX);
}

function valueOf(value: unknown): string {
  return value === null ? "nothing" : printable(JSON.stringify(value), VALUE_SHOWN_MAX);
}

function summaryOf({
  workflow_name: name,
  jobs,
  taken_over: takenOver,
  runs,
  left_out: leftOut,
}: Plan): string {
  const parts = [
    `run ${runs} of ${jobs.length === 1 ? "1 command" : `${jobs.length} commands`}`,
    ...(takenOver > 0 ? [`keep ${takenOver}`] : []),
    ...(leftOut > 0 ? [`skip ${leftOut}`] : []),
  ];
  return `A restart of ${name} would ${parts.join(", ")}. Nothing was changed.`;
}
