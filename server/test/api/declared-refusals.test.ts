import { afterAll, describe, expect, test, vi } from "vitest";
import { apiFixture } from "../support/api-fixture.ts";
import { changeStatus, createRun, T, untilStatus } from "../support/run-rows.ts";

/** Declared refusals of endpoints outside the other tables of scenarios. */
const api = await apiFixture();
const busy = await apiFixture({ config: { maxStreamsPerUser: 0 } });
afterAll(() => api.close());
afterAll(() => busy.close());

const SNAKEMAKE = {
  inputs: {},
  workflow: { type: "snakemake", specification: {} },
};
const run = await createRun(api, api.admin, "done");
await changeStatus(api, api.admin, run.id, "start");
api.backend.end(await api.backend.startedJob(0));
await untilStatus(api, api.admin, run.id, "finished");
const foreign = await createRun(api, api.admin, "foreign", SNAKEMAKE);

describe("a language without an engine on the server", () => {
  test.each([
    ["start-workflow", `${foreign.name}/start`, {}],
    [
      "start-workflow with another specification",
      `${run.name}/start`,
      { restart: true, reana_specification: SNAKEMAKE },
    ],
    ["replace-workflow", `${run.name}/restart`, { restart: true, reana_specification: SNAKEMAKE }],
    ["rerun-workflow", `${run.name}/rerun`, { reana_specification: SNAKEMAKE }],
    ["plan-restart", `${run.name}/restart-plan`, { restart: true, reana_specification: SNAKEMAKE }],
  ])("%s", async (_name, place, payload) => {
    const url = `/api/workflows/${place}?${T(api.admin)}`;
    const reply = await api.inject({ method: "POST", url, payload });
    expect([reply.statusCode, reply.json()]).toEqual([
      501,
      { message: expect.stringContaining("snakemake"), code: "language-not-supported" },
    ]);
  });
});

describe("too many streams", async () => {
  const [a, b] = [await createRun(busy, busy.admin, "a"), await createRun(busy, busy.admin, "b")];
  await changeStatus(busy, busy.admin, a.id, "start");
  const job = await busy.backend.startedJob(0);

  test.each([
    ["events", `${a.name}/events`],
    ["a log", `${a.name}/jobs/${job}/log?follow=true`],
    ["a comparison", `${a.name}/comparison/${b.name}`],
    ["a diff", `${a.name}/diff/${b.name}`],
  ])("%s", async (_name, place) => {
    const url = `/api/workflows/${place}${place.includes("?") ? "&" : "?"}${T(busy.admin)}`;
    const reply = await busy.inject({ url });
    expect([reply.statusCode, reply.json<{ code: string }>().code]).toEqual([429, "too-many-streams"]);
  });
});

test("a quota of more files than are counted in passing", async () => {
  // 100,000 of them would take half a minute to make.
  vi.spyOn(api.operations.workspaces, "maybeUsedBytesOfEach").mockResolvedValue(undefined);
  const query = `resource_type=disk&email=${api.admin.email}&${T(api.admin)}`;
  expect((await api.inject(`/api/quota?${query}`)).statusCode).toBe(413);
});

test("the quota and the use of a user who does not exist", async () => {
  const [email, A] = ["nobody@example.org", T(api.admin)];
  const payload = { resource_type: "cpu", email, quota_period_months: 1 };
  const replies = [
    await api.inject({ method: "PATCH", url: `/api/quota?${A}`, payload }),
    await api.inject(`/api/admin/usage?user=${email}&${A}`),
  ];
  expect(replies.map(({ statusCode }) => statusCode)).toEqual([404, 404]);
});
