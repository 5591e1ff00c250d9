import type { RepriseClient } from "reprise-sdk";
import { type Call, optionOf } from "#cli/call";
import { openChangingClient, withReadingClient } from "#cli/connection/open-client";
import { whileWaiting } from "#cli/connection/while-waiting";
import type { CliContext } from "#cli/context";
import { EXIT_FAILURE, UsageError } from "#cli/failure";
import { chosenRun, runParams } from "#cli/run-address";
import { verificationLines, type VerificationReply } from "#cli/runs/verify/verification-lines";
import { printable } from "#plumbing/text/printable";
import { POLL_INTERVAL_MS } from "#cli/runs/watch/watch-status";

/** Runs a finished run again, compares the outputs, and looks for the cause of a difference. Returns 0 if all outputs came out the same, else 1. */
export async function verify(cli: CliContext, call: Call): Promise<number> {
  const run = chosenRun(cli, call, call.args[0]);
  const asked = { tolerance: toleranceOf(call), repetitions: budgetOf(call) };
  if (call.flags("last"))
    return withReadingClient(cli, call, async (client) => show(cli, call, await ask(client, run, asked)));
  const { client, close } = await openChangingClient(cli, call);
  try {
    const say = (sentence: string) => (call.flags("json") ? undefined : cli.print(sentence));
    const id = call.flags("explain") ? run : await repeat(client, run, say);
    return show(cli, call, await untilExplained(cli, client, id, { ...asked, say }));
  } finally {
    await close();
  }
}

interface Asked {
  readonly tolerance: number | undefined;
  readonly repetitions: number | undefined;
}

/** Starts the repetition of a whole run. Returns its id. */
async function repeat(client: RepriseClient, run: string, say: (sentence: string) => void): Promise<string> {
  const { data } = await client.POST("/api/workflows/{workflow_id_or_name}/verify", {
    params: runParams(run),
  });
  const { repetition, workflow_name: name } = data!;
  say(`${repetition.workflow_name} repeats ${name}.`);
  return repetition.workflow_id;
}

function budgetOf(call: Call): number | undefined {
  const given = optionOf(call, "budget");
  if (given === undefined) return undefined;
  if (/^[0-8]$/.test(given)) return Number(given);
  throw new UsageError(`The budget ${given} is not a number of repetitions from 0 to 8.`);
}

function toleranceOf(call: Call): number | undefined {
  const given = optionOf(call, "tolerance");
  if (given === undefined) return undefined;
  const tolerance = given.trim() === "" ? Number.NaN : Number(given);
  if (tolerance >= 0 && tolerance <= 1) return tolerance;
  throw new UsageError(`The tolerance ${given} is not a number from 0 to 1, such as 1e-9.`);
}

async function ask(client: RepriseClient, run: string, asked: Asked): Promise<VerificationReply> {
  const given = Object.entries(asked).filter(([, value]) => value !== undefined);
  const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/verification", {
    params: { ...runParams(run), query: Object.fromEntries(given) },
  });
  return data!;
}

/** Waits for the repetition. If an output differs, has the step repeated until the cause is found or cannot be found. */
async function untilExplained(
  cli: CliContext,
  client: RepriseClient,
  run: string,
  { say, ...asked }: Asked & { say(sentence: string): void },
): Promise<VerificationReply> {
  for (;;) {
    const reply = await untilStill(cli, client, run, asked);
    if (reply.cause?.state !== "open") return reply;
    const { data } = await client.POST("/api/workflows/{workflow_id_or_name}/verification/repetitions", {
      params: runParams(run),
      body: asked.repetitions === undefined ? {} : { repetitions: asked.repetitions },
    });
    say(`${data!.workflow_name} repeats ${printable(reply.cause.step, TEXT_MAX)} under other conditions.`);
  }
}

const TEXT_MAX = 300;

/** Waits while a repetition is under way. */
async function untilStill(
  cli: CliContext,
  client: RepriseClient,
  run: string,
  asked: Asked,
): Promise<VerificationReply> {
  let reply = await ask(client, run, asked);
  const isUnderWay = () => reply.state === "running" || reply.cause?.state === "repeating";
  return whileWaiting(
    () => reply.repetition.workflow_name,
    async () => {
      while (isUnderWay()) {
        await new Promise<void>((resolve) => void cli.clock.after(POLL_INTERVAL_MS, resolve));
        reply = await ask(client, run, asked);
      }
      return reply;
    },
  );
}

function show(cli: CliContext, call: Call, reply: VerificationReply): number {
  if (call.flags("json")) cli.print(JSON.stringify(reply));
  else for (const line of verificationLines(reply)) cli.print(line);
  return reply.state === "identical" || reply.state === "equivalent" ? 0 : EXIT_FAILURE;
}
