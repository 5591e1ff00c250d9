import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { jobsOfRun } from "#store/jobs/jobs";
import { maybeRun } from "#store/runs/runs";
import { putLimit, putPeriod } from "#store/users/quotas";
import { startOfDay } from "#workflow/people/quota";
import { apiFixture, type FixtureUser } from "../../support/api-fixture.ts";
import { movableClock } from "../../support/fakes/movable-clock.ts";
import { changeStatus, createRun, serial, T, untilStatus } from "../../support/run-rows.ts";
import { LIMITS } from "../../support/server-parts.ts";
import { workspaceClient } from "../../support/workspace-client.ts";

/** A quota reached while runs are live. */
const clock = movableClock();
const api = await apiFixture({ parts: { clock, limits: { ...LIMITS, maxRunsAtOnce: 8 } } });
afterAll(() => api.close());
const { db } = api.operations;
const SWEEP_MS = 6000;

async function start(user: FixtureUser, name: string, commands: readonly string[] = ["true"]) {
  const run = await createRun(api, user, name, serial(commands));
  await changeStatus(api, user, run.id, "start");
  return run;
}

async function running(user: FixtureUser, name: string, commands?: readonly string[]) {
  const run = await start(user, name, commands);
  await untilStatus(api, user, run.id, "running");
  return run;
}

const firstJob = async (id: string) => (await jobsOfRun(db, id))[0]!;
const CPU = "User quota exceeded.\nResource: cpu, usage: 9s out of 5s used (180%)\n";

test("processor time: live runs fail with the reason, and queued ones wait until there is a quota again", async () => {
  const ada = await api.makeUser();
  const first = await running(ada, "first", ["one", "two"]);
  const others = [await running(ada, "b"), await running(ada, "c"), await running(ada, "d")];
  const queued = await start(ada, "queued");
  await putLimit(db, ada.id, "cpu", 5000);
  api.backend.end((await firstJob(first.id)).id, { usage: { cpuMs: 9000 } });
  while ((await maybeRun(db, first.id))!.cpuMs === 0) await new Promise((resolve) => setImmediate(resolve));
  clock.pass(SWEEP_MS);
  for (const { id } of [first, ...others]) await untilStatus(api, ada, id, "failed");
  expect((await maybeRun(db, others[0]!.id))!.failure).toContain(CPU);
  expect((await firstJob(others[0]!.id)).reason).toBe("cancelled");
  const waitingFor = async () =>
    (await api.inject(`/api/workflows/${queued.id}/status?${T(ada)}`)).json().waiting_for;
  while (!(await waitingFor())?.startsWith(CPU)) await new Promise((resolve) => setImmediate(resolve));
  // The quota of Ada does not hold up Bob.
  const bob = await api.makeUser();
  await running(bob, "fit");
  await putLimit(db, ada.id, "cpu", 10_000);
  clock.pass(SWEEP_MS);
  await untilStatus(api, ada, queued.id, "running");
});

test("the next month of a period starts at zero, and queued runs start", async () => {
  const user = await api.makeUser();
  await putLimit(db, user.id, "cpu", 5000);
  await putPeriod(db, user.id, { months: 1, startMs: startOfDay(clock.now()) });
  const run = await running(user, "fit");
  api.backend.end((await firstJob(run.id)).id, { usage: { cpuMs: 9000 } });
  await untilStatus(api, user, run.id, "finished");
  const restart = () => changeStatus(api, user, run.id, "start", { restart: true });
  expect((await restart()).statusCode).toBe(403);
  clock.pass(32 * 86_400_000);
  const { cpu } = (await api.inject(`/api/you?${T(user)}`)).json().quota;
  expect(cpu).toMatchObject({ usage: { raw: 0 }, health: "healthy", quota_period_months: 1 });
  expect((await restart()).statusCode).toBe(200);
});

test("disk space: a job that fills the disk ends with the run", async () => {
  const user = await api.makeUser();
  await putLimit(db, user.id, "disk", 200_000);
  const run = await running(user, "fit");
  const folder = await workspaceClient(api, user).folderOf(run);
  clock.pass(SWEEP_MS);
  await writeFile(path.join(folder, "large"), Buffer.alloc(300_000, 1));
  clock.pass(SWEEP_MS);
  await untilStatus(api, user, run.id, "failed");
  expect((await maybeRun(db, run.id))!.failure).toMatch(/^User quota exceeded\.\nResource: disk, /);
});

test("disk space: files that are on their way, or were replaced, end no run", async () => {
  const LIMIT = 200_000;
  const user = await api.makeUser();
  await putLimit(db, user.id, "disk", LIMIT);
  await running(user, "fit");
  const { quotas } = api.operations;
  const refused = await quotas.openRoom(user.id);
  await expect(refused.take(2 * LIMIT, "large")).rejects.toThrow("would exceed");
  expect(await quotas.maybeUsedUpNow(user.id)).toBeUndefined();
  refused.close(false);
  // The folder of the run is newer than the last measure.
  clock.pass(SWEEP_MS);
  const replacing = await quotas.openRoom(user.id);
  await replacing.take(LIMIT - (await quotas.of(user.id)).diskBytesUsed!, "same");
  replacing.close(true);
  expect(await quotas.maybeUsedUpNow(user.id)).toBeUndefined();
});

test("wall clock: a run that takes too long fails, with the time of the runs before it", async () => {
  const user = await api.makeUser();
  await putLimit(db, user.id, "wall", 20_000);
  const first = await running(user, "first");
  clock.pass(12_000);
  api.backend.end((await firstJob(first.id)).id);
  await untilStatus(api, user, first.id, "finished");
  const { wall } = (await api.inject(`/api/you?${T(user)}`)).json().quota;
  expect([wall.limit.raw, wall.usage.raw >= 12_000, wall.usage.raw < 20_000]).toEqual([20_000, true, true]);
  const second = await running(user, "second");
  clock.pass(12_000);
  await untilStatus(api, user, second.id, "failed");
  expect((await maybeRun(db, second.id))!.failure).toMatch(
    /^User quota exceeded\.\nResource: wall, usage: 2\ds out of 20s used \(1\d\d%\)\nAsk the administrator of this server for more run time\./,
  );
  expect((await changeStatus(api, user, second.id, "start", { restart: true })).statusCode).toBe(403);
});
