import { createHmac } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { webhookSample } from "#notifications/sample";
import { systemClock } from "#plumbing/clock";
import { systemRandom } from "#plumbing/ids";
import type { ReportedStatus } from "#workflow/people/notification";
import { runCli } from "#cli/program";
import { apiFixture } from "../support/api-fixture.ts";
import { createRun } from "../support/run-rows.ts";
import { openWebhookReceiver } from "../support/fakes/webhook-receiver.ts";

/** `reprise notify`, with a local receiver. */
const receiver = await openWebhookReceiver();
const webhooks = { privateHosts: ["127.0.0.1"] };
const api = await apiFixture({ parts: { notifications: { webhooks } } });
const server = await api.listen();
afterAll(async () => {
  await api.close();
  await receiver.close();
});
const ada = await api.makeUser();
await createRun(api, ada, "fit");

async function reprise(...args: readonly string[]) {
  const cli = fakeCli({ environment: { REPRISE_SERVER: server, REPRISE_TOKEN: ada.token } });
  const code = await runCli(args, cli);
  return { code, printed: cli.printed, errors: cli.errors };
}

const SECRET = expect.stringMatching(/^whsec_/) as string;
const SHOWN_NOW = "The key of its signatures is shown only now:";

test("notifications are added, listed, tried and removed", async () => {
  expect(await reprise("notify", "add", `${receiver.url}/a`)).toEqual({
    code: 0,
    printed: [SECRET],
    errors: [
      `A message goes to ${receiver.url}/a when each of your runs is finished, failed or stopped.`,
      SHOWN_NOW,
    ],
  });
  expect(await reprise("notify", "add", `${receiver.url}/b`, "-w", "fit", "--on", "running")).toEqual({
    code: 0,
    printed: [SECRET],
    errors: [`A message goes to ${receiver.url}/b when fit.1 is running.`, SHOWN_NOW],
  });
  const [head, first, second] = (await reprise("notify", "list")).printed;
  expect(head).toMatch(/^TO +RUN +ON +DELIVERED +WAITING +ID$/);
  expect(first).toMatch(/\/a +all +finished,failed,stopped +never +0 +[0-9a-f-]{36}$/);
  expect(second).toMatch(/\/b +fit\.1 +running +never +0 +[0-9a-f-]{36}$/);
  const id = second!.split(" ").at(-1)!;
  expect((await reprise("notify", "test", id)).printed).toEqual(["The receiver accepted a test message."]);
  receiver.reply = (response) => response.writeHead(404).end();
  expect(await reprise("notify", "test", id)).toMatchObject({
    code: 1,
    errors: ["The receiver returned the status 404."],
  });
  expect((await reprise("notify", "remove", id)).printed).toEqual(["The notification was removed."]);
  expect((await reprise("notify", "list")).printed).toHaveLength(2);
  const { printed } = await reprise("notify", "list", "--json");
  expect(JSON.parse(printed[0]!)).toMatchObject([{ to: `${receiver.url}/a`, waiting: 0 }]);
});

test("a status that cannot be reported is refused before anything is sent", async () => {
  expect(await reprise("notify", "add", receiver.url, "--on", "finished,deleted")).toMatchObject({
    code: 2,
    errors: [
      "--on finished,deleted: queued, running, finished, failed or stopped is expected, with commas between them.",
    ],
  });
});

test("a sample is signed with the key that is printed beside it", async () => {
  const sampleWebhook = async (status: ReportedStatus) =>
    webhookSample({ clock: systemClock, random: systemRandom }, status);
  const cli = fakeCli({ sampleWebhook });
  expect(await runCli(["notify", "sample"], cli)).toBe(0);
  const [secret = ""] = /whsec_\S+/.exec(cli.errors[0]!) ?? [];
  const body = cli.printed.at(-1)!;
  const headers = new Map(cli.printed.slice(0, -2).map((line) => line.split(": ") as [string, string]));
  const signed = `${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.${body}`;
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  expect(headers.get("webhook-signature")).toBe(
    `v1,${createHmac("sha256", key).update(signed).digest("base64")}`,
  );
  expect(JSON.parse(body)).toMatchObject({
    type: "run.failed",
    data: { name: "sample.1", status: "failed" },
  });
});

test("a sample reports a single status", async () => {
  const cli = fakeCli();
  expect(await runCli(["notify", "sample", "--on", "failed,running"], cli)).toBe(2);
  expect(cli.errors).toEqual(["--on names one status here, because one message is printed."]);
});
