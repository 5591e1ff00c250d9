import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type Answer,
  CREATED,
  logsAnswer,
  REANA_ID,
  type ReanaStandIn,
  startReanaStandIn,
  statusAnswer,
} from "../../support/fakes/reana-stand-in.ts";
import { headersOf, shadowFixture, type ShadowUser, userOf } from "../../support/shadow-fixture.ts";

describe("a run that is also sent to a stand-in of REANA, with answers written after REANA's description", () => {
  const { the, round, report, of, start, end } = shadowFixture();
  let reana: ReanaStandIn;

  beforeAll(async () => {
    reana = await startReanaStandIn();
  });
  beforeEach(async () => {
    // Copies of the tests above are no longer looked at.
    await the.here.operations.db.updateTable("shadows").set({ due_at: null }).execute();
    reana.seen.splice(0);
  });
  afterAll(() => reana.close());

  const ended = (name: string, answers: Readonly<Record<string, Answer>>, exitCode = 0) =>
    endedFor(the.ada, name, answers, exitCode);

  async function endedFor(
    user: ShadowUser,
    name: string,
    answers: Readonly<Record<string, Answer>>,
    exitCode = 0,
  ) {
    reana.answers = answers;
    const started = await start(name, user);
    await round(reana.url);
    await end(started, { user, output: "42", exitCode });
    await round(reana.url, 20_000);
    return started.run;
  }

  const finished = { ...CREATED, ...statusAnswer("finished") };
  const withOutput = (content: string): Record<string, Answer> => ({
    ...finished,
    [`GET /api/workflows/${REANA_ID}/workspace/out.txt`]: [200, content],
  });

  test("the requests of its clients arrive, and a failure is shown with the last line of the log", async () => {
    const run = await ended("reana", {
      ...CREATED,
      ...statusAnswer("failed"),
      ...logsAnswer("one\n2026-11-20 ERROR Job failed.\n"),
    });
    expect(await of(run)).toMatchObject({
      cause: "finished here, failed there",
      there: { status: "failed", seconds: 60, failure: "2026-11-20 ERROR Job failed." },
    });
    expect(reana.seen).toEqual([
      "GET /api/workflows/NAME/status 0",
      expect.stringMatching(/^POST \/api\/workflows \d{3}$/),
      `POST /api/workflows/${REANA_ID}/workspace ${"input of reana".length}`,
      expect.stringMatching(/\/start \d+$/),
      `GET /api/workflows/${REANA_ID}/status 0`,
      `GET /api/workflows/${REANA_ID}/logs 0`,
    ]);
  });

  test("a refusal is the result, with REANA's sentence", async () => {
    const message = "Workflow type 'serial' is not enabled.";
    const run = await ended("refused", { "POST /api/workflows": [400, { message }] });
    const cause = `refused there: ${message}`;
    expect(await of(run)).toMatchObject({ kind: "refused", cause, here: null, there: null });
  });

  test("an output on one server alone is a difference", async () => {
    const run = await ended("absent", {
      ...CREATED,
      ...statusAnswer("finished", { run_started_at: null, run_finished_at: null }),
    });
    expect(await of(run)).toMatchObject({
      kind: "outputs",
      cause: "out.txt differs",
      there: { seconds: null },
    });
  });

  test("failures with other words, and a run of another duration, are groups of their own", async () => {
    const words = await ended(
      "words",
      { ...withOutput("42"), ...statusAnswer("failed"), ...logsAnswer("Quota exceeded.\n") },
      1,
    );
    expect(await of(words)).toMatchObject({
      kind: "words",
      cause: "failed on both, in other words",
      here: { failure: expect.any(String) },
      there: { failure: "Quota exceeded." },
    });
    const slow = await ended("slow", withOutput("42"));
    expect(await of(slow)).toMatchObject({
      kind: "duration",
      cause: "same result, at least twice as long there",
    });
  });

  test.each<readonly [how: string, broken: Answer, problem: RegExp]>([
    ["that is cut off", "cut", /sent a reply that is broken, or not one of REANA's API\.$/],
    ["that is a page of a proxy", [200, "<html>"], /sent a reply that is broken, or not one of/],
    ["without an id", [201, '{"message": "created"}'], /sent a reply that is broken, or not one of/],
    [
      "of too many requests",
      [429, { message: "Too many requests." }],
      /the status 429: Too many requests\.\.$/,
    ],
    ["of a fault", [500, { message: "Internal controller error." }], /the status 500: Internal/],
  ])("a reply %s is said, and the step is repeated later", async (_how, broken, problem) => {
    reana.answers = { ...withOutput("42"), "POST /api/workflows": broken };
    const started = await start("wrong");
    await round(reana.url);
    expect(await of(started.run)).toMatchObject({ cause: null, problem: expect.stringMatching(problem) });
    reana.answers = withOutput("42");
    await round(reana.url, 10_000);
    await end(started, { output: "42" });
    await round(reana.url, 30_000);
    expect(await of(started.run)).toMatchObject({ kind: "duration", problem: null });
  });

  test("a copy that was created and not filled is found again by its name, and completed", async () => {
    reana.answers = { ...CREATED, [`POST /api/workflows/${REANA_ID}/workspace`]: [502, { message: "" }] };
    const started = await start("half");
    await round(reana.url);
    expect(await of(started.run)).toMatchObject({ problem: expect.stringContaining("the status 502") });
    const created = statusAnswer("created")[`GET /api/workflows/${REANA_ID}/status`]!;
    reana.answers = { ...withOutput("42"), "GET /api/workflows/NAME/status": created };
    await round(reana.url, 10_000);
    await end(started, { output: "42" });
    await round(reana.url, 30_000);
    expect(await of(started.run)).toMatchObject({ kind: "duration", outputs: [] });
    const count = (place: RegExp) => reana.seen.filter((one) => place.test(one)).length;
    expect([count(/^POST \/api\/workflows \d/), count(/\/workspace \d/), count(/\/start \d/)]).toEqual([
      1, 2, 1,
    ]);
  });

  test("a server that never replies delays no start, and the stop of this server ends the wait", async () => {
    reana.answers = { "GET /api/workflows/NAME/status": "silent" };
    const first = await start("silent");
    const stopping = new AbortController();
    const waiting = round(reana.url, 0, stopping.signal);
    await expect.poll(() => reana.seen.length).toBe(1);
    const second = await start("meanwhile");
    stopping.abort();
    await waiting;
    reana.answers = withOutput("42");
    await round(reana.url);
    expect(await of(first.run)).toMatchObject({ cause: null, problem: null });
    await end(first, { output: "42" });
    await end(second, { output: "42" });
  });

  describe("and who is ready to move", () => {
    async function userReported(email: string) {
      const { users } = await report(the.here.adminToken);
      return users.find((one) => one["user_email"] === email);
    }

    test("is a user whose newest five compared runs agree in status and outputs", async () => {
      const bob = await userOf(the.here, "bob@example.org");
      const runs = (count: number, answers: Readonly<Record<string, Answer>>) =>
        Array.from({ length: count }, (_, index) => () => endedFor(bob, `b${index}`, answers));
      for (const run of runs(1, finished)) await run();
      expect(await userReported(bob.email)).toMatchObject({ compared: 1, open: 0, readiness: "differs" });
      for (const run of runs(4, withOutput("42"))) await run();
      expect(await userReported(bob.email)).toMatchObject({ compared: 5, readiness: "differs" });
      for (const run of runs(1, withOutput("42"))) await run();
      expect(await userReported(bob.email)).toMatchObject({ compared: 6, readiness: "ready", on: true });
      await endedFor(bob, "refused", { "POST /api/workflows": [403, { message: "No." }] });
      expect(await userReported(bob.email)).toMatchObject({ compared: 7, readiness: "differs" });
      const { users } = await report(bob.token);
      expect(users.map((one) => one["user_email"])).toEqual([bob.email]);
    });

    test("is shown for a user whose copies the administrator has switched off", async () => {
      const eve = await userOf(the.here, "eve@example.org");
      const flip = (user: string, on: boolean, token = the.here.adminToken) =>
        the.here.inject({
          method: "PUT",
          url: `/api/admin/users/${user}/shadows`,
          headers: headersOf(token),
          payload: { on },
        });
      expect((await flip(eve.email, false)).json()).toEqual({ on: false });
      expect(await userReported(eve.email)).toMatchObject({ on: false, compared: 0, readiness: "too-few" });
      const off = await start("off", eve);
      expect(await of(off.run)).toBeUndefined();
      await end(off, { user: eve });
      expect((await report(the.ada.token)).users.map((one) => one["user_email"])).toEqual([the.ada.email]);
      expect((await flip(eve.id, true)).statusCode).toBe(200);
      expect(await userReported(eve.email)).toBeUndefined();
      expect((await flip("nobody@example.org", true)).statusCode).toBe(404);
      expect((await flip(eve.id, true, eve.token)).statusCode).toBe(403);
    });
  });
});
