import type { RepriseClient } from "reprise-sdk";
import { type Call, optionOf } from "#cli/call";
import { openChangingClient, withReadingClient } from "#cli/connection/open-client";
import { whileWaiting } from "#cli/connection/while-waiting";
import type { CliContext } from "#cli/context";
import { EXIT_FAILURE, UsageError } from "#cli/failure";
import { chosenRun, runParams } from "#cli/run-address";
import { verificationLines, type VerificationReply } from "#cli/runs/verify/verification-lines";
import { POLL_INTERVAL_MS } from "#cli/runs/watch/watch-status";

/** Runs a finished run again and compares the outputs. Returns 0 if all outputs came out the same, else 1. */
export async function verify(cli: CliContext, call: Call): Promise<number> {
  const run = chosenRun(cli, call, call.args[0]);
  const tolerance = toleranceOf(call);
  if (call.flags("last"))
    return withReadingClient(cli, call, async (client) => show(cli, call, await ask(client, run, tolerance)));
  const { client, close } = await openChangingClient(cli, call);
  try {
    const { data } = await client.POST("/api/workflows/{workflow_id_or_name}/verify", {
      params: runParams(run),
    });
    const { repetition } = data!;
    const name = repetition.workflow_name;
    if (!call.flags("json")) cli.print(`${name} repeats ${data!.workflow_name}.`);
    const reply = await whileWaiting(
      () => name,
      () => untilJudged(cli, client, repetition.workflow_id, tolerance),
    );
    return show(cli, call, reply);
  } finally {
    await close();
  }
}

function toleranceOf(call: Call): number | undefined {
  const given = optionOf(call, "tolerance");
  if (given === undefined) return undefined;
  const tolerance = given.trim() === "" ? Number.NaN : Number(given);
  if (tolerance >= 0 && tolerance <= 1) return tolerance;
  throw new UsageError(`The tolerance ${given} is not a number from 0 to 1, such as 1e-9.`);
}

async function ask(
  client: RepriseClient,
  run: string,
  tolerance: number | undefined,
): Promise<VerificationReply> {
  const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/verification", {
    params: { ...runParams(run), query: tolerance === undefined ? {} : { tolerance } },
  });
  return data!;
}

async function untilJudged(
  cli: CliContext,
  client: RepriseClient,
  run: string,
  tolerance: number | undefined,
): Promise<VerificationReply> {
  for (;;) {
    const reply = await ask(client, run, tolerance);
    if (reply.state !== "running") return reply;
    await new Promise<void>((resolve) => void cli.clock.after(POLL_INTERVAL_MS, resolve));
  }
}

function show(cli: CliContext, call: Call, reply: VerificationReply): number {
  if (call.flags("json")) cli.print(JSON.stringify(reply));
  else for (const line of verificationLines(reply)) cli.print(line);
  return reply.state === "identical" || reply.state === "equivalent" ? 0 : EXIT_FAILURE;
}
