import { type Call, optionOf } from "#cli/call";
import { openClient } from "#cli/connection/open-client";
import type { CliContext } from "#cli/context";
import { CommandError, UsageError } from "#cli/failure";
import { inColumns } from "#cli/terminal/columns";
import { isReported, REPORTED_STATUSES, type ReportedStatus } from "#workflow/people/notification";
import type { RunStatus } from "#workflow/run/run-status";

/** The commands for messages about the user's runs. */

export async function listNotifications(cli: CliContext, call: Call): Promise<void> {
  const { data } = await (await openClient(cli, call)).GET("/api/notifications");
  if (call.flags("json")) return cli.print(JSON.stringify(data));
  const rows = data!.map((one) => [
    one.to,
    one.run ?? "all",
    one.on.join(","),
    one.delivered?.slice(0, 10) ?? "never",
    String(one.waiting),
    one.id,
  ]);
  const heading = ["TO", "RUN", "ON", "DELIVERED", "WAITING", "ID"];
  for (const line of inColumns([heading, ...rows], { right: [4] })) cli.print(line);
  for (const { to, problem } of data!) if (problem !== null) cli.printError(`${to}: ${problem}`);
}

export async function addNotification(cli: CliContext, call: Call): Promise<void> {
  const [run, on] = [optionOf(call, "workflow"), optionOf(call, "on")];
  const body = {
    to: call.args[0]!,
    ...(run !== undefined && { run }),
    ...(on !== undefined && { on: statusesFrom(on) }),
  };
  const { data } = await (await openClient(cli, call)).POST("/api/notifications", { body });
  if (call.flags("json")) return cli.print(JSON.stringify(data));
  const { to, on: statuses, secret } = data!;
  const runs = data!.run ?? "each of your runs";
  const sentence = `A message goes to ${to} when ${runs} is ${inWords(statuses)}.`;
  if (secret === null) return cli.print(sentence);
  cli.printError(sentence);
  cli.printError("The key of its signatures is shown only now:");
  cli.print(secret);
}

function statusesFrom(text: string): ReportedStatus[] {
  return text.split(",").map((word) => {
    const status = word.trim() as RunStatus;
    if (isReported(status)) return status;
    throw new UsageError(
      `--on ${text}: ${inWords(REPORTED_STATUSES)} is expected, with commas between them.`,
    );
  });
}

function inWords(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

export async function testNotification(cli: CliContext, call: Call): Promise<void> {
  const params = { path: { notification: call.args[0]! } };
  const path = "/api/notifications/{notification}/test";
  const { data } = await (await openClient(cli, call)).POST(path, { params });
  if (call.flags("json")) return cli.print(JSON.stringify(data));
  if (!data!.delivered) throw new CommandError(data!.problem!);
  cli.print("The receiver accepted a test message.");
}

/** Prints a signed message in the form of a real notification, for testing a receiver without a server. */
export async function sampleNotification(cli: CliContext, call: Call): Promise<void> {
  const [status = "failed", ...more] = statusesFrom(optionOf(call, "on") ?? "failed");
  if (more.length > 0) throw new UsageError("--on names one status here, because one message is printed.");
  const sample = await cli.sampleWebhook(status);
  if (call.flags("json")) return cli.print(JSON.stringify(sample));
  cli.printError(`The key of this signature: ${sample.secret}`);
  for (const [name, value] of Object.entries(sample.headers)) cli.print(`${name}: ${value}`);
  cli.print("");
  cli.print(sample.body);
}

export async function removeNotifications(cli: CliContext, call: Call): Promise<void> {
  const client = await openClient(cli, call);
  for (const notification of call.args) {
    const params = { path: { notification } };
    const { data } = await client.DELETE("/api/notifications/{notification}", { params });
    cli.print(call.flags("json") ? JSON.stringify(data) : data!.message);
  }
}
