import type { components, RepriseClient } from "reprise-sdk";
import type { CliContext } from "#cli/context";
import { type Call, optionOf } from "#cli/call";
import { type ChangingClient, openChangingClient } from "#cli/connection/open-client";
import { printStarted, putStatus } from "#cli/runs/change-status";
import {
  planIfAny,
  printPlan,
  type ReusePlan,
  restartPlan,
  reuseSummary,
  type Told,
} from "#cli/runs/restart-plan";
import { startValues } from "#cli/specification/parameters";
import { runParams, chosenRun } from "#cli/run-address";

/** `restart` and `rerun`. If no server runs, this process carries out the run, as `reprise run` does. */

interface Repetition {
  readonly verb: Told["verb"];
  /** Fields common to the requests of all runs. */
  readonly body: object;
  plan(client: RepriseClient, run: string, body: object): Promise<ReusePlan | undefined>;
  begin(client: RepriseClient, run: string, body: object): Promise<Begun>;
  readonly done: string;
}

interface Begun {
  readonly workflow_id: string;
  readonly workflow_name: string;
}

/** Restarts a run as a new run in the same workspace: `fit.1` becomes `fit.1.1`. */
export function restart(cli: CliContext, call: Call): Promise<number> {
  return repeat(cli, call, {
    verb: "restart",
    body: { restart: true },
    plan: call.flags("plan") ? restartPlan : planIfAny,
    begin: (client, run, body) => putStatus(client, run, "start", body as Record<string, unknown>),
    done: "Restarted as",
  });
}

/** Reruns a run as a new run in a copy of the workspace: `fit.1` becomes `fit.2`. */
export function rerun(cli: CliContext, call: Call): Promise<number> {
  return repeat(cli, call, {
    verb: "rerun",
    body: {},
    plan: (client, run, body) => restartPlan(client, run, { ...body, rerun: true }),
    async begin(client, run, body) {
      const { data } = await client.POST("/api/workflows/{workflow_id_or_name}/rerun", {
        params: runParams(run),
        body: body as components["schemas"] & object,
      });
      return data!;
    },
    done: "Rerun as",
  });
}

async function repeat(cli: CliContext, call: Call, repetition: Repetition): Promise<number> {
  const run = chosenRun(cli, call, call.args[0]);
  const opened = await openChangingClient(cli, call);
  try {
    return await repeatWith(cli, call, { ...repetition, ...opened, run });
  } finally {
    await opened.close();
  }
}

async function repeatWith(
  cli: CliContext,
  call: Call,
  { client, isHere, run, verb, done, ...repetition }: Repetition & ChangingClient & { readonly run: string },
): Promise<number> {
  const body = { ...repetition.body, ...(await repeatBody(client, run, call)) };
  const plan = await repetition.plan(client, run, body);
  if (plan?.warning && !call.flags("json")) cli.printError(`Warning: ${plan.warning}`);
  if (call.flags("plan")) return printPlan(cli, call, { plan, verb });
  const record = await repetition.begin(client, run, body);
  const sentence = `${done} ${record.workflow_name}${reuseSummary(plan)}.`;
  if (!isHere) return printStarted(cli, call, client, { record, sentence });
  const { followHere } = await import("#cli/run/follow-here");
  return followHere(cli, client, { ...record, sentence, asJson: call.flags("json") });
}

/** Returns the request body for `restart` and `rerun`. */
async function repeatBody(client: RepriseClient, run: string, call: Call): Promise<object> {
  const from = optionOf(call, "from");
  return {
    ...(await startValues(client, run, call)),
    ...(from !== undefined && { from_step: from }),
  };
}
