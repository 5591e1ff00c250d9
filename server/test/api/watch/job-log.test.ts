import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { disableUser } from "#operations/users/accounts";
import { issueToken } from "#operations/users/tokens";
import { POLICY_OF_FILES } from "#api/http/reply/file-policy";
import { apiFixture, type FixtureUser } from "../../support/api-fixture.ts";
import { follow } from "../../support/follower.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";
import { changeStatus, createRun, refusalRows, serial, T, untilStatus } from "../../support/run-rows.ts";

const api = await apiFixture();
const base = await api.listen();
afterAll(() => api.close());
const ada = await api.makeUser();
const run = await createRun(api, ada, "w", serial(["echo one"]));
await changeStatus(api, ada, run.id, "start");
const jobId = await api.backend.startedJob(0);
api.backend.print(jobId, "é0123456789\n");
const PRINTED = "log of echo one\né0123456789\n";
const BYTES = Buffer.byteLength(PRINTED);

/** Returns a new user's run with one running job. */
async function ownRun(): Promise<{ user: FixtureUser; id: string; job: string; url: string }> {
  const user = await api.makeUser();
  const { id } = await createRun(api, user, "own", serial(["echo own"]));
  const index = api.backend.started.length;
  await changeStatus(api, user, id, "start");
  const job = await api.backend.startedJob(index);
  return { user, id, job, url: `${base}/api/workflows/${id}/jobs/0.0/log?follow=true&${T(user)}` };
}

describe("GET a job's log", async () => {
  const url = `/api/workflows/w/jobs/0.0/log`;
  await runScenarios(api, [
    ...(await refusalRows(api, "GET", run, (address) => `/api/workflows/${address}/jobs/0.0/log`)),
    {
      name: "no such job",
      url: `/api/workflows/w/jobs/9.9/log?${T(ada)}`,
      status: 404,
      reply: "Workflow w.1 has no job 9.9.",
    },
    { name: "from something that is not a number", url: `${url}?from=x&${T(ada)}`, status: 400 },
    { name: "HEAD has no bytes", method: "HEAD", url: `${url}?follow=true&${T(ada)}`, status: 200 },
  ]);

  test("of another run's job is not found", async () => {
    const other = await createRun(api, ada, "other");
    const reply = await api.inject(`/api/workflows/${other.id}/jobs/${jobId}/log?${T(ada)}`);
    expect([reply.statusCode, reply.json()]).toEqual([
      404,
      { message: `Workflow other.1 has no job ${jobId}.`, code: "not-found" },
    ]);
  });

  test.each([
    ["all of it", "", 0, PRINTED],
    ["from a byte on", "&from=7", 7, "echo one\né0123456789\n"],
    ["its end", "&from=-5", BYTES - 5, "6789\n"],
    ["more than there is", "&from=-5000", 0, PRINTED],
    ["from behind its end", "&from=5000", 5000, ""],
  ])("%s", async (_name, query, from, text) => {
    for (const job of ["0.0", jobId]) {
      const reply = await api.inject(`/api/workflows/w/jobs/${job}/log?${T(ada)}${query}`);
      expect(reply.headers).toMatchObject({
        "content-type": "text/plain; charset=utf-8",
        "reprise-log-from": String(from),
        "content-security-policy": POLICY_OF_FILES,
      });
      expect(reply.body).toBe(text);
    }
  });
});

describe("following a job's log", () => {
  test("shows output as it is printed, and ends with the job", async () => {
    const { job, url } = await ownRun();
    const [whole, late] = [await follow(url), await follow(`${url}&from=13`)];
    await expect.poll(whole.text).toBe("log of echo own\n");
    api.backend.print(job, "more\n");
    await expect.poll(whole.text).toBe("log of echo own\nmore\n");
    api.backend.print(job, "last\n");
    api.backend.end(job);
    expect([await whole.ended, await late.ended]).toEqual(["whole", "whole"]);
    expect(whole.text()).toBe("log of echo own\nmore\nlast\n");
    expect(late.text()).toBe("wn\nmore\nlast\n");
  });

  test("returns the whole output of an ended job", async () => {
    const { user, id, job, url } = await ownRun();
    api.backend.end(job);
    await untilStatus(api, user, id, "finished");
    const follower = await follow(url);
    expect([await follower.ended, follower.text()]).toEqual(["whole", "log of echo own\n"]);
  });

  test.each([
    [
      "its token is revoked",
      (user: FixtureUser) => issueToken(api.operations, { user: user.id, revokeOthers: true }),
    ],
    ["its user is disabled", (user: FixtureUser) => disableUser(api.operations, user.id)],
  ])("is broken off when %s", async (_name, lose) => {
    const { user, job, url } = await ownRun();
    const follower = await follow(url);
    await expect.poll(follower.text).toBe("log of echo own\n");
    await lose(user);
    expect(await follower.ended).toBe("broken");
    api.backend.print(job, "secret\n");
    expect(follower.text()).toBe("log of echo own\n");
    expect((await follow(url)).status).toBe(403);
  });

  test("ends when the run is stopped, and the output can be read until the run is deleted", async () => {
    const { user, id, url } = await ownRun();
    const follower = await follow(url);
    await changeStatus(api, user, id, "stop");
    expect(await follower.ended).toBe("whole");
    await changeStatus(api, user, id, "deleted");
    const reply = await fetch(url);
    expect([reply.status, await reply.json()]).toEqual([
      404,
      {
        message: "The logs of workflow own.1 were removed when it was deleted.",
        code: "not-found",
      },
    ]);
  });
});

describe("a closing server", () => {
  let closing: Awaited<ReturnType<typeof apiFixture>>;
  beforeAll(async () => void (closing = await apiFixture()));

  test("breaks off open streams", async () => {
    const url = await closing.listen();
    const user = await closing.makeUser();
    const { id } = await createRun(closing, user, "w", serial(["echo"]));
    await changeStatus(closing, user, id, "start");
    await closing.backend.startedJob(0);
    const follower = await follow(`${url}/api/workflows/w/jobs/0.0/log?follow=true&${T(user)}`);
    await expect.poll(follower.text).toBe("log of echo\n");
    await closing.close();
    expect(await follower.ended).toBe("broken");
  });
});
