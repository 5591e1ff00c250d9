import { afterAll, afterEach, describe, expect, test } from "vitest";
import { apiFixture, type FixtureUser } from "../../support/api-fixture.ts";
import { movableClock } from "../../support/fakes/movable-clock.ts";
import { changeStatus, createRun, T, untilStatus } from "../../support/run-rows.ts";
import { openSmtpReceiver } from "../../support/fakes/smtp-receiver.ts";

/** Messages about runs by e-mail, through an SMTP server on this machine. */
const clock = movableClock();
const smtp = await openSmtpReceiver();
const mail = { server: `smtp://127.0.0.1:${smtp.port}`, from: "reprise@example.org" };
const api = await apiFixture({ parts: { clock, notifications: { webhooks: { privateHosts: [] }, mail } } });
const { outbox } = api.operations;
const withPassword = await apiFixture({
  parts: {
    notifications: {
      webhooks: { privateHosts: [] },
      mail: { ...mail, server: `smtp://reprise:hushhush@127.0.0.1:${smtp.port}` },
    },
  },
});
afterAll(async () => {
  await api.close();
  await withPassword.close();
  await smtp.close();
});
afterEach(() => {
  smtp.received.length = 0;
  smtp.reply = () => undefined;
});

async function add(on: typeof api, user: FixtureUser, to = user.email) {
  const payload = { to, on: ["stopped"] };
  const reply = await on.inject({ method: "POST", url: `/api/notifications?${T(user)}`, payload });
  return { status: reply.statusCode, body: reply.json<{ id: string; secret: null; message?: string }>() };
}

async function stoppedRun(user: FixtureUser): Promise<void> {
  const { id } = await createRun(api, user, "fit");
  await changeStatus(api, user, id, "start");
  await changeStatus(api, user, id, "stop");
  await untilStatus(api, user, id, "stopped");
}

/** Sends due messages, and checks the list of notifications. */
async function deliver(user: FixtureUser, wanted: object): Promise<void> {
  await outbox.look();
  await outbox.settled();
  expect((await api.inject(`/api/notifications?${T(user)}`)).json<object[]>()[0]).toMatchObject(wanted);
}

describe("an e-mail", () => {
  test("is sent to its user, and to nobody else", async () => {
    const ada = await api.makeUser("Ada@example.org");
    expect(await add(api, ada, "eve@example.org")).toMatchObject({
      status: 400,
      body: {
        message: "Nothing can be sent to eve@example.org: it is not your own address, Ada@example.org.",
      },
    });
    expect(await add(api, ada, "ada@example.org")).toMatchObject({ status: 201, body: { secret: null } });
    await stoppedRun(ada);
    await deliver(ada, { waiting: 0, problem: null, delivered: expect.any(String) });
    expect(smtp.received).toEqual([
      { from: "reprise@example.org", to: ["ada@example.org"], content: expect.any(String) },
    ]);
    const { content } = smtp.received[0]!;
    expect(content).toMatch(/^Subject: fit\.1 is stopped$/m);
    expect(content).toMatch(/^From: reprise@example\.org$/m);
    expect(content).toMatch(/^Auto-Submitted: auto-generated$/im);
    expect(content).toMatch(/^Message-ID: <msg_[0-9a-f-]{36}@example\.org>$/m);
    expect(content).toMatch(/^fit\.1 is stopped since [-\dT:]+Z\.$/m);
  });

  test("that is refused is sent again after a pause, with the same id", async () => {
    const ada = await api.makeUser();
    await add(api, ada);
    smtp.reply = (command) => (command === "RCPT" ? "451 Try later, hushhush." : undefined);
    await stoppedRun(ada);
    await deliver(ada, { waiting: 1, problem: "The mail server refused the message (451)." });
    smtp.reply = (command) => (command === "END" ? "451 Lost it." : undefined);
    clock.pass(5000);
    await deliver(ada, { waiting: 1, problem: "The mail server refused the message (451)." });
    expect(smtp.received).toHaveLength(1);
    smtp.reply = () => undefined;
    clock.pass(20_000);
    await deliver(ada, { waiting: 0, problem: null });
    const ids = smtp.received.map(({ content }) => /^Message-ID: (.*)$/m.exec(content)?.[1]);
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
  });

  test("is given thirty seconds", async () => {
    const ada = await api.makeUser();
    await add(api, ada);
    const connected = new Promise<void>((resolve) => {
      smtp.reply = () => {
        resolve();
        return null;
      };
    });
    await stoppedRun(ada);
    await outbox.look();
    await connected;
    clock.pass(30_000);
    await deliver(ada, { waiting: 1, problem: "The receiver did not answer within 30 seconds." });
  });

  test("is not sent without TLS if the server has a password", async () => {
    const bob = await withPassword.makeUser();
    const { body } = await add(withPassword, bob);
    const url = `/api/notifications/${body.id}/test?${T(bob)}`;
    expect((await withPassword.inject({ method: "POST", url })).json()).toEqual({
      delivered: false,
      problem: "The mail server refused the message (502).",
    });
    expect(smtp.received).toEqual([]);
  });

  test("can be tried", async () => {
    const ada = await api.makeUser();
    const { body } = await add(api, ada);
    const url = `/api/notifications/${body.id}/test?${T(ada)}`;
    expect((await api.inject({ method: "POST", url })).json()).toEqual({ delivered: true, problem: null });
    expect(smtp.received[0]!.content).toContain("Messages about your runs reach you here.");
  });
});
