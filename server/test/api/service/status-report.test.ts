import { afterAll, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { apiFixture } from "../../support/api-fixture.ts";
import { openSmtpReceiver } from "../../support/fakes/smtp-receiver.ts";
import { changeStatus, createRun, untilStatus } from "../../support/run-rows.ts";

/** The status report for administrators, printed and by e-mail. */
const DAY_MS = 86_400_000;
const smtp = await openSmtpReceiver();
const mail = { server: `smtp://127.0.0.1:${smtp.port}`, from: "reprise@example.org" };
const api = await apiFixture({ parts: { notifications: { webhooks: { privateHosts: [] }, mail } } });
const silent = await apiFixture();
const server = await api.listen();
afterAll(async () => {
  await api.close();
  await silent.close();
  await smtp.close();
});

async function reprise(...args: readonly string[]) {
  const cli = fakeCli({ environment: { REPRISE_SERVER: server, REPRISE_TOKEN: api.adminToken } });
  const code = await runCli(["admin", "report", ...args], cli);
  return { code, printed: cli.printed, errors: cli.errors };
}

async function endedRun(name: string, exitCode: number): Promise<void> {
  const ada = await api.makeUser();
  const run = await createRun(api, ada, name);
  const index = api.backend.started.length;
  await changeStatus(api, ada, run.id, "start");
  api.backend.end(await api.backend.startedJob(index), { exitCode });
  await untilStatus(api, ada, run.id, exitCode === 0 ? "finished" : "failed");
}

test("the report counts the runs of the period, and names the failed ones and their users", async () => {
  await endedRun("earlier", 0);
  const { db, clock } = api.operations;
  await db
    .updateTable("runs")
    .set({ finished_at: clock.now() - 3 * DAY_MS })
    .execute();
  await endedRun("fit", 0);
  await endedRun("plot", 1);
  const { printed } = await reprise();
  const text = printed.join("\n");
  expect(text).toMatch(/^Reprise \S+, \d{4}-\d\d-\d\d \d\d:\d\d to \d{4}-\d\d-\d\d \d\d:\d\d UTC$/m);
  expect(text).toMatch(/^Runs that ended: 1 finished, 1 failed, 0 stopped$/m);
  expect(text).toMatch(/^Runs now: 0 running, 0 queued; jobs: 0 running, 0 waiting$/m);
  expect(text).toMatch(/^Disk: .* free of .*; the database takes .*$/m);
  expect(text).toMatch(/^Failed:\n- plot\.1 of \S+@\S+$/m);
  expect((await reprise("--days", "7")).printed.join("\n")).toContain(
    "Runs that ended: 2 finished, 1 failed",
  );
});

test("it says what needs attention", async () => {
  api.operations.unfinishedRemovals.add("one");
  const text = (await reprise()).printed.join("\n");
  expect(text).toContain("Needs attention:\n- The files of 1 deleted run could not be removed yet.");
  api.operations.unfinishedRemovals.clear();
  expect((await reprise()).printed.join("\n")).toContain("Nothing needs attention.");
});

test("it is sent to the administrators who may sign in and have an address, and to nobody else", async () => {
  expect((await reprise("--mail")).errors).toEqual([
    "The report was not sent: no administrator has an address outside this machine.",
  ]);
  const boss = await api.makeUser("boss@example.org");
  await api.makeUser("ada@example.org");
  const admin = `access_token=${api.adminToken}`;
  await api.inject({ method: "PUT", url: `/api/admin/users/${boss.id}/admin?${admin}` });
  expect((await reprise("--mail")).printed).toEqual(["The report was sent to boss@example.org."]);
  expect(smtp.received).toMatchObject([{ to: ["boss@example.org"] }]);
  expect(smtp.received[0]!.content).toMatch(/^Subject: Reprise: 1 finished, 1 failed, 0 stopped$/m);
  expect(smtp.received[0]!.content).toMatch(/^- plot\.1 of /m);
  smtp.reply = (command) => (command === "RCPT" ? "550 No." : undefined);
  expect((await reprise("--mail")).errors).toEqual([
    "The report was not sent to boss@example.org: The mail server refused the message (550).",
  ]);
});

test("a server without a mail server says how to get one", async () => {
  const url = `/api/admin/report?access_token=${silent.adminToken}`;
  const reply = await silent.inject({ method: "POST", url });
  expect([reply.statusCode, reply.json().message]).toEqual([
    409,
    "The report was not sent: this server sends no e-mail. Set REPRISE_MAIL_SERVER.",
  ]);
});
