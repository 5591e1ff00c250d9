import type { components, RepriseClient } from "reprise-sdk";
import type { CliContext } from "#cli/context";
import { type Call, optionOf } from "#cli/call";
import { openClient } from "#cli/connection/open-client";
import { startValues } from "#cli/runs/specification/parameters";
import { watchStatus } from "#cli/runs/watch/watch-status";
import { runParams, chosenRun } from "#cli/runs/run-address";

/** The commands that change the status of a run. Each prints one sentence about the result. */

export async function start(cli: CliContext, call: Call): Promise<number> {
  const run = chosenRun(cli, call, call.args[0]);
  const client = await openClient(cli, call);
  const body = await startValues(client, run, call);
  const record = await putStatus(client, run, "start", body);
  return printStarted(cli, call, client, {
    record,
    sentence: `${record.workflow_name} is ${record.status}.`,
  });
}

/** Restarts a run as a new run in the same workspace: `fit.1` becomes `fit.1.1`. */
export async function restart(cli: CliContext, call: Call): Promise<number> {
  const run = chosenRun(cli, call, call.args[0]);
  const { planIfAny, restartPlan, printPlan, reuseSummary } = await import("#cli/runs/restart-plan");
  const client = await openClient(cli, call);
  const body = { restart: true, ...(await repeatBody(client, run, call)) };
  const isPlan = call.flags("plan");
  const plan = await (isPlan ? restartPlan : planIfAny)(client, run, body);
  if (plan?.warning && !call.flags("json")) cli.printError(`Warning: ${plan.warning}`);
  if (isPlan) return printPlan(cli, call, { plan, verb: "restart" });
  const record = await putStatus(client, run, "start", body);
  const sentence = `Restarted as ${record.workflow_name}${reuseSummary(plan)}.`;
  return printStarted(cli, call, client, { record, sentence });
}

/** Reruns a run as a new run in a copy of the workspace: `fit.1` becomes `fit.2`. */
export async function rerun(cli: CliContext, call: Call): Promise<number> {
  const run = chosenRun(cli, call, call.args[0]);
  const { restartPlan, printPlan, reuseSummary } = await import("#cli/runs/restart-plan");
  const client = await openClient(cli, call);
  const body = await repeatBody(client, run, call);
  const plan = await restartPlan(client, run, { ...body, rerun: true });
  if (call.flags("plan")) return printPlan(cli, call, { plan, verb: "rerun" });
  const { data } = await client.POST("/api/workflows/{workflow_id_or_name}/rerun", {
    params: runParams(run),
    body: body as components["schemas"] & object,
  });
  const sentence = `Rerun as ${data!.workflow_name}${reuseSummary(plan)}.`;
  return printStarted(cli, call, client, { record: data!, sentence });
}

/** Returns the request body for `restart` and `rerun`. */
async function repeatBody(client: RepriseClient, run: string, call: Call): Promise<object> {
  const from = optionOf(call, "from");
  return {
    ...(await startValues(client, run, call)),
    ...(from !== undefined && { from_step: from }),
  };
}

type StartBody = Readonly<Record<string, unknown>>;

interface Started {
  readonly record: { readonly workflow_id: string };
  readonly sentence: string;
}

function printStarted(
  cli: CliContext,
  call: Call,
  client: RepriseClient,
  { record, sentence }: Started,
): Promise<number> | number {
  const [isWatched, asJson] = [call.flags("watch"), call.flags("json")];
  if (!asJson) cli.print(sentence);
  else if (!isWatched) cli.print(JSON.stringify(record));
  return isWatched ? watchStatus(cli, client, { run: record.workflow_id, asJson }) : 0;
}

export async function stop(cli: CliContext, call: Call): Promise<void> {
  const run = chosenRun(cli, call, call.args[0]);
  const record = await putStatus(await openClient(cli, call), run, "stop", {});
  if (call.flags("json")) return cli.print(JSON.stringify(record));
  cli.print(record.status === "stopped" ? `Stopped ${record.workflow_name}.` : record.message);
}

export async function putStatus(client: RepriseClient, run: string, status: string, body: StartBody) {
  const { data } = await client.PUT("/api/workflows/{workflow_id_or_name}/status", {
    params: { ...runParams(run), query: { status } },
    body: body as components["schemas"] & object,
  });
  return data!;
}
