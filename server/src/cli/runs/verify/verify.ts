import type { RepriseClient } from "reprise-sdk";
import { type Call, optionOf } from "#cli/call";
import { openChangingClient, withReadingClient } from "#cli/connection/open-client";
import { whileWaiting } from "#cli/connection/while-waiting";
import type { CliContext } from "#cli/context";
import { EXIT_FAILURE, UsageError } from "#cli/failure";
import { saveFile } from "#cli/files/save-file";
import { chosenRun, runParams } from "#cli/run-address";
import { checkCertificate } from "#cli/runs/verify/check-certificate";
import { planLines } from "#cli/runs/verify/plan-lines";
import { verificationLines, type VerificationReply } from "#cli/runs/verify/verification-lines";
import { POLL_INTERVAL_MS } from "#cli/runs/watch/watch-status";
import { printable } from "#plumbing/text/printable";
import { isOver } from "#workflow/run/run-status";

const TEXT_MAX = 300;

/**
 * Runs a finished run again, compares the outputs, and looks for the cause of a difference. Returns 0 if all outputs came
 * out the same, else 1.
 */
export async function verify(cli: CliContext, call: Call): Promise<number> {
  const certificate = optionOf(call, "check");
  if (certificate !== undefined) return checkCertificate(cli, call, certificate);
  const run = chosenRun(cli, call, call.args[0]);
  if (call.flags("plan")) return showPlan(cli, call, run);
  const asked = { tolerance: toleranceOf(call), ...budgetOf(call) };
  if (call.flags("last"))
    return withReadingClient(cli, call, async (client) =>
      show(cli, call, client, await ask(client, run, asked)),
    );
  const { client, close } = await openChangingClient(cli, call);
  try {
    const say = (sentence: string) => (call.flags("json") ? undefined : cli.print(sentence));
    const wanted = { step: optionOf(call, "step"), tolerance: asked.tolerance, budget_s: asked.budget_s };
    const id = call.flags("explain") ? run : await repeat(client, run, wanted, say);
    return await show(cli, call, client, await untilExplained(cli, client, id, { ...asked, say }));
  } finally {
    await close();
  }
}

/** Prints what a verification would cost. Returns 0 if the run can be verified, else 1. */
function showPlan(cli: CliContext, call: Call, run: string): Promise<number> {
  return withReadingClient(cli, call, async (client) => {
    const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/verification/plan", {
      params: { ...runParams(run), query: givenIn({ step: optionOf(call, "step") }) },
    });
    if (call.flags("json")) cli.print(JSON.stringify(data));
    else for (const line of planLines(data!)) cli.print(line);
    return data!.refusal === null ? 0 : EXIT_FAILURE;
  });
}

interface Asked extends Budget {
  readonly tolerance: number | undefined;
}

interface Budget {
  readonly repetitions: number | undefined;
  readonly budget_s: number | undefined;
}

interface Wanted {
  readonly step: string | undefined;
  readonly tolerance: number | undefined;
  readonly budget_s: number | undefined;
}

/** Starts the repetition of a run or of one step. Returns its id. */
async function repeat(
  client: RepriseClient,
  run: string,
  wanted: Wanted,
  say: (sentence: string) => void,
): Promise<string> {
  const { data } = await client.POST("/api/workflows/{workflow_id_or_name}/verify", {
    params: runParams(run),
    body: givenIn(wanted),
  });
  const { repetition, workflow_name: name } = data!;
  const { step } = wanted;
  const what = step === undefined ? name : `the step ${printable(step, TEXT_MAX)} of ${name}`;
  say(`${repetition.workflow_name} repeats ${what}.`);
  return repetition.workflow_id;
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600, d: 86_400 };

/** Returns the budget as a number of repetitions, or as a time. */
function budgetOf(call: Call): Budget {
  const given = optionOf(call, "budget");
  if (given === undefined || /^[0-8]$/.test(given))
    return { repetitions: given === undefined ? undefined : Number(given), budget_s: undefined };
  const [, digits = "", unit = ""] = /^([1-9]\d{0,6})(s|min|h|d)$/.exec(given) ?? [];
  if (unit !== "") return { repetitions: undefined, budget_s: Number(digits) * SECONDS[unit]! };
  throw new UsageError(
    `The budget ${given} is neither a number of repetitions from 0 to 8 nor a time such as 90min (s, min, h, d).`,
  );
}

function toleranceOf(call: Call): number | undefined {
  const given = optionOf(call, "tolerance");
  if (given === undefined) return undefined;
  const tolerance = given.trim() === "" ? Number.NaN : Number(given);
  if (tolerance >= 0 && tolerance <= 1) return tolerance;
  throw new UsageError(`The tolerance ${given} is not a number from 0 to 1, such as 1e-9.`);
}

type Given<Values> = { readonly [Name in keyof Values]?: Exclude<Values[Name], undefined> };

/** Returns the defined values. */
function givenIn<Values extends object>(values: Values): Given<Values> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Given<Values>;
}

async function ask(client: RepriseClient, run: string, asked: Asked): Promise<VerificationReply> {
  const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/verification", {
    params: { ...runParams(run), query: givenIn(asked) },
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
    const reply = await ask(client, run, asked);
    if (reply.state === "running") await untilOver(cli, client, reply.repetition);
    else if (reply.cause?.repeating) await untilOver(cli, client, reply.cause.repeating);
    else if (reply.cause?.state === "open")
      await repeatStep(client, { run, step: reply.cause.step }, asked, say);
    else return reply;
  }
}

async function repeatStep(
  client: RepriseClient,
  { run, step }: { readonly run: string; readonly step: string },
  asked: Asked,
  say: (sentence: string) => void,
): Promise<void> {
  const { data } = await client.POST("/api/workflows/{workflow_id_or_name}/verification/repetitions", {
    params: runParams(run),
    body: givenIn(asked),
  });
  say(`${data!.workflow_name} repeats ${printable(step, TEXT_MAX)} under other conditions.`);
}

/** Waits for the end of a run. Its status costs far less than a comparison of files. */
async function untilOver(
  cli: CliContext,
  client: RepriseClient,
  { workflow_id: id, workflow_name: name }: VerificationReply["repetition"],
): Promise<void> {
  const isLive = async () => {
    const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/status", {
      params: runParams(id),
    });
    return !isOver(data!.status);
  };
  await whileWaiting(
    () => name,
    async () => {
      while (await isLive())
        await new Promise<void>((resolve) => void cli.clock.after(POLL_INTERVAL_MS, resolve));
    },
  );
}

async function show(
  cli: CliContext,
  call: Call,
  client: RepriseClient,
  reply: VerificationReply,
): Promise<number> {
  if (call.flags("json")) cli.print(JSON.stringify(reply));
  else for (const line of verificationLines(reply)) cli.print(line);
  const file = optionOf(call, "certificate");
  if (file !== undefined) await saveCertificate(client, reply, file);
  if (file !== undefined && !call.flags("json")) cli.print(`Wrote the certificate ${file}.`);
  return reply.state === "identical" || reply.state === "equivalent" ? 0 : EXIT_FAILURE;
}

async function saveCertificate(
  client: RepriseClient,
  { repetition }: VerificationReply,
  file: string,
): Promise<void> {
  const path = `/api/workflows/${encodeURIComponent(repetition.workflow_id)}/verification/certificate`;
  await saveFile(file, (await client.send(path)).body ?? []);
}
