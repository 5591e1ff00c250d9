import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apiFixture, type ApiFixture } from "../../support/api-fixture.ts";
import { untilStatus } from "../../support/run-rows.ts";
import { ADA, headersOf, put, shadowFixture, userOf } from "../../support/shadow-fixture.ts";

describe("a run that is also sent to a second server", () => {
  const { the, round: roundTo, report, of, start, end } = shadowFixture();
  let there: ApiFixture;
  let url: string;
  let copies = 0;

  beforeAll(async () => {
    there = await apiFixture();
    url = await there.listen();
    await userOf(there, ADA, the.ada.token);
  });
  afterAll(() => there.close());

  const round = (laterMs = 0, target = url) => roundTo(target, laterMs);

  /** Sends the copy, and ends both runs with an output each. */
  async function finish(name: string, outputs: readonly [here: string, there: string]) {
    const started = await start(name);
    await round();
    const copy = `shadow-${started.run.id.slice(0, 13)}`;
    const copyJob = await there.backend.startedJob(copies++);
    await put(there, the.ada, copy, ["out.txt", outputs[1]]);
    there.backend.end(copyJob);
    await end(started, { output: outputs[0] });
    await untilStatus(there, the.ada, copy, "finished");
    await round(20_000);
    return { run: started.run, copy };
  }

  test("is created, filled and started there once, and the same outputs count as the same result", async () => {
    const { run, copy } = await finish("same", ["42", "42"]);
    const input = await there.inject({
      url: `/api/workflows/${copy}/workspace/in.txt`,
      headers: headersOf(the.ada.token),
    });
    expect(input.body).toBe("input of same");
    expect(await of(run)).toMatchObject({
      workflow_name: "same.1",
      user_email: ADA,
      kind: "same",
      cause: "same result",
      here: { status: "finished", seconds: expect.any(Number), failure: null },
      there: { status: "finished", seconds: expect.any(Number), failure: null },
      outputs: [],
    });
    await round(60_000);
    const list = await there.inject({
      url: "/api/workflows?type=batch",
      headers: headersOf(the.ada.token),
    });
    expect(list.json<{ total: number }>().total).toBe(1);
  });

  test("is named with the outputs that differ, and runs are grouped by the difference", async () => {
    const { run } = await finish("other", ["42", "43"]);
    expect(await of(run)).toMatchObject({ cause: "out.txt differs", outputs: ["out.txt"] });
    await finish("another", ["1", "2"]);
    expect((await report()).causes).toEqual([
      { kind: "outputs", cause: "out.txt differs", runs: 2 },
      { kind: "same", cause: "same result", runs: 1 },
    ]);
    expect((await report(the.here.adminToken)).runs).toHaveLength(3);
    const eve = await the.here.makeUser();
    expect((await report(eve.token)).runs).toEqual([]);
  });

  test("waits while one of the two has not ended, and a failure there is shown with its words", async () => {
    const started = await start("fails-there");
    await round();
    await end(started);
    await round(20_000);
    expect(await of(started.run)).toMatchObject({ cause: null, problem: null });
    there.backend.end(await there.backend.startedJob(copies++), { exitCode: 1 });
    await untilStatus(there, the.ada, `shadow-${started.run.id.slice(0, 13)}`, "failed");
    await round(60_000);
    expect(await of(started.run)).toMatchObject({
      kind: "status",
      cause: "finished here, failed there",
      there: { status: "failed", failure: expect.any(String) },
    });
  });

  test("is sent after the other server has come back, and the start does not notice", async () => {
    const started = await start("away");
    await round(0, "http://127.0.0.1:9");
    const problem = "127.0.0.1:9 does not respond.";
    expect(await of(started.run)).toMatchObject({ cause: null, problem });
    const { server, problems } = await report();
    expect([server, problems]).toEqual([
      "reana.example.org",
      [{ problem, runs: 1, next: expect.any(String) }],
    ]);
    await round(1000);
    expect(await of(started.run)).toMatchObject({ problem });
    await round(10_000);
    expect(await of(started.run)).toMatchObject({ problem: null });
    expect((await report()).problems).toEqual([]);
    await there.backend.startedJob(copies++);
    await end(started);
  });

  test("is not compared if an input changed after the start", async () => {
    const started = await start("changed");
    // The clock of the file system is some milliseconds behind.
    await delay(20);
    await put(the.here, the.ada, started.run.id, ["in.txt", "changed"]);
    await round();
    const cause = "the input in.txt changed after the start";
    expect(await of(started.run)).toMatchObject({ kind: "not-compared", cause });
    await end(started);
  });

  test("is not sent for a user who has switched it off, until it is on again", async () => {
    const flip = async (on: boolean) => {
      const headers = headersOf(the.ada.token);
      const reply = await the.here.inject({ method: "PUT", url: "/api/shadows", headers, payload: { on } });
      expect(reply.json()).toEqual({ on });
    };
    await flip(false);
    const off = await start("off");
    expect([(await report()).on, await of(off.run)]).toEqual([false, undefined]);
    await end(off);
    await flip(true);
    const again = await start("on");
    expect(await of(again.run)).toMatchObject({ cause: null });
    await end(again);
  });
});
