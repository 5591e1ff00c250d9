import type { components, RepriseClient } from "reprise-sdk";
import type { CliHost } from "#cli/host";
import { type Call, optionOf } from "#cli/remote/call";
import { openClient } from "#cli/remote/open-client";
import { parametersOf } from "#cli/remote/parameters";
import { watchStatus } from "#cli/remote/watch-status";
import { of, workflowOf } from "#cli/remote/workflow-address";

/** The commands that move a run from one status to another. Each says in a sentence what became of it. */

export async function start(host: CliHost, call: Call): Promise<number> {
  return begin(host, call, {}, ({ workflow_name: name, status }) => `${name} is ${status}.`);
}

/** A run of its own in the same workspace: `fit.1` becomes `fit.1.1`. */
export async function restart(host: CliHost, call: Call): Promise<number> {
  const from = optionOf(call, "from");
  const body = {
    restart: true,
    ...(call.flags("fresh") && { fresh: true }),
    ...(from !== undefined && { from_step: from }),
  };
  if (call.flags("plan")) {
    const { tellRestartPlan } = await import("#cli/remote/restart-plan");
    return tellRestartPlan(host, call, { workflow: workflowOf(host, call, call.args[0]), body });
  }
  return begin(
    host,
    call,
    body,
    ({ workflow_name: name, status }) => `It was restarted as ${name}, which is ${status}.`,
  );
}

type StartBody = Readonly<Record<string, unknown>>;

interface Begun {
  readonly workflow_name: string;
  readonly status: string;
}

async function begin(
  host: CliHost,
  call: Call,
  body: StartBody,
  sentenceOf: (begun: Begun) => string,
): Promise<number> {
  const workflow = workflowOf(host, call, call.args[0]);
  const client = await openClient(host, call);
  const input_parameters = await parametersOf(client, workflow, call);
  const record = await putStatus(client, workflow, "start", { ...body, input_parameters });
  const isWatched = call.flags("watch");
  if (!isWatched && call.flags("json")) host.print(JSON.stringify(record));
  else if (!call.flags("json")) host.print(sentenceOf(record));
  return isWatched
    ? watchStatus(host, client, { workflow: record.workflow_id, asJson: call.flags("json") })
    : 0;
}

export async function stop(host: CliHost, call: Call): Promise<void> {
  await change(host, call, "stop", {});
}

export async function remove(host: CliHost, call: Call): Promise<void> {
  await change(host, call, "deleted", call.flags("allRuns") ? { all_runs: true } : {});
}

async function change(host: CliHost, call: Call, word: string, body: StartBody): Promise<void> {
  const workflow = workflowOf(host, call, call.args[0]);
  const record = await putStatus(await openClient(host, call), workflow, word, body);
  if (call.flags("json")) return host.print(JSON.stringify(record));
  host.print(`${record.workflow_name}: ${withFullStop(record.message)}`);
}

async function putStatus(client: RepriseClient, workflow: string, status: string, body: StartBody) {
  const { data } = await client.PUT("/api/workflows/{workflow_id_or_name}/status", {
    params: { ...of(workflow), query: { status } },
    body: body as components["schemas"] & object,
  });
  return data!;
}

function withFullStop(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
