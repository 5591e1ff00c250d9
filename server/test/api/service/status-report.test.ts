import { afterAll, describe, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { createScheduledReport } from "#operations/runs/scheduled-report";
import { apiFixture } from "../../support/api-fixture.ts";
import { movableClock } from "../../support/fakes/movable-clock.ts";
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

test("the report lists problems", async () => {
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

describe("a scheduled report", () => {
  const MONDAY_MS = Date.UTC(2026, 10, 30);
  let nowMs = MONDAY_MS - 2 * DAY_MS;
  const look = (interval: "daily" | "weekly") => {
    const clock = { ...api.operations.clock, now: () => nowMs };
    return createScheduledReport({ ...api.operations, clock }, { interval, version: "1.2.3" })();
  };

  test("goes out once after each midnight, whichever server looks first, and not at the first start", async () => {
    smtp.reply = () => undefined;
    smtp.received.splice(0);
    expect(await look("daily")).toEqual([]);
    nowMs += DAY_MS - 1;
    expect(await look("daily")).toEqual([]);
    nowMs += 1;
    const sent = await Promise.all([look("daily"), look("daily"), look("daily")]);
    expect(sent.flat()).toEqual(["boss@example.org"]);
    expect(await look("daily")).toEqual([]);
    nowMs += DAY_MS;
    expect(await look("daily")).toEqual(["boss@example.org"]);
    expect(smtp.received).toHaveLength(2);
    const ids = smtp.received.map(({ content }) => /<report_(\S*)@/.exec(content)![1]);
    expect(ids.map((id) => id!.slice(-10))).toEqual(["2026-11-29", "2026-11-30"]);
    expect(smtp.received[1]!.content).toContain("2026-11-29 00:00 to 2026-11-30 00:00 UTC");
  });

  test("goes out before a Monday if it is weekly, also when the server was away", async () => {
    nowMs = MONDAY_MS - 1;
    expect(await look("weekly")).toEqual([]);
    nowMs = MONDAY_MS + 3 * DAY_MS;
    expect(await look("weekly")).toEqual(["boss@example.org"]);
    nowMs = MONDAY_MS + 7 * DAY_MS - 1;
    expect(await look("weekly")).toEqual([]);
    nowMs += 1;
    expect(await look("weekly")).toEqual(["boss@example.org"]);
  });

  test("is sent again after an hour if it reached nobody", async () => {
    nowMs += DAY_MS;
    smtp.reply = (command) => (command === "RCPT" ? "550 No." : undefined);
    await expect(look("daily")).rejects.toThrow("not sent to boss@example.org: The mail server refused");
    smtp.reply = () => undefined;
    expect(await look("daily")).toEqual([]);
    nowMs += 3_600_000;
    expect(await look("daily")).toEqual(["boss@example.org"]);
  });

  test("is sent by a running server", async () => {
    const clock = movableClock();
    const pauses: number[] = [];
    const after = (ms: number, then: () => void) => {
      pauses.push(ms);
      return clock.after(ms, then);
    };
    const notifications = { webhooks: { privateHosts: [] }, mail };
    const scheduledReport = { interval: "daily", version: "1.2.3" } as const;
    const scheduled = await apiFixture({
      parts: { clock: { ...clock, after }, notifications, scheduledReport },
    });
    const boss = await scheduled.makeUser("boss@example.org");
    const url = `/api/admin/users/${boss.id}/admin?access_token=${scheduled.adminToken}`;
    await scheduled.inject({ method: "PUT", url });
    smtp.received.splice(0);
    // The first look at the schedule is over.
    await expect.poll(() => pauses).toContain(60_000);
    clock.pass(DAY_MS);
    await expect.poll(() => smtp.received).toHaveLength(1);
    await scheduled.close();
  });
});

test("a server without a mail server says how to get one", async () => {
  const url = `/api/admin/report?access_token=${silent.adminToken}`;
  const reply = await silent.inject({ method: "POST", url });
  expect([reply.statusCode, reply.json().message]).toEqual([
    409,
    "The report was not sent: this server sends no e-mail. Set REPRISE_MAIL_SERVER.",
  ]);
});
