import { afterEach, beforeEach, expect, test } from "vitest";
import { type ApiFixture, apiFixture } from "../../support/api-fixture.ts";
import { fakeDisk } from "../../support/fakes/fake-disk.ts";
import { changeStatus, createRun, serial, statusOf, T, untilStatus } from "../../support/run-rows.ts";

const MIB = 2 ** 20;
const LOW = { isFull: false, freeBytes: 12 * MIB, floorBytes: 64 * MIB };
const FULL = { ...LOW, isFull: true, freeBytes: 4096 };
const NEARLY_FULL =
  "The server's disk is nearly full (12 MiB free; the server keeps 64 MiB free): no job starts. " +
  "Free some space, for example by deleting runs; then this continues by itself.";
const IS_FULL =
  "The server's disk is full (4 KiB free): no job starts and nothing can be stored. " +
  "Free some space, for example by deleting runs; then this continues by itself.";

let api: ApiFixture;
let disk: ReturnType<typeof fakeDisk>;

beforeEach(async () => {
  disk = fakeDisk();
  api = await apiFixture({ parts: { disk } });
});

afterEach(() => api.close());

const started = async (name: string, commands = ["one"]) => {
  const run = await createRun(api, api.admin, name, serial(commands));
  await changeStatus(api, api.admin, run.id, "start");
  return run;
};
const waitingFor = async (run: { readonly id: string }) => {
  const reply = await api.inject({ url: `/api/workflows/${run.id}/status?${T(api.admin)}` });
  return reply.json<{ waiting_for?: string }>().waiting_for;
};

test("below the limit a run stays queued, says why, and starts when space is freed", async () => {
  disk.become(LOW);
  const run = await started("low");
  expect(await statusOf(api, api.admin, run.id)).toBe("queued");
  expect(await waitingFor(run)).toBe(NEARLY_FULL);
  expect((await api.inject("/readyz")).statusCode).toBe(200);
  disk.become(undefined);
  api.backend.end(await api.backend.startedJob(0));
  await untilStatus(api, api.admin, run.id, "finished");
});

test("the next job of a run waits too, and the running one ends normally", async () => {
  const run = await started("next", ["one", "two"]);
  const first = await api.backend.startedJob(0);
  await untilStatus(api, api.admin, run.id, "running");
  disk.become(LOW);
  expect(await waitingFor(run)).toBeUndefined();
  api.backend.end(first);
  await expect.poll(() => waitingFor(run)).toBe(NEARLY_FULL);
  expect(api.backend.scripts).toEqual(["one"]);
  disk.become(undefined);
  api.backend.end(await api.backend.startedJob(1));
  await untilStatus(api, api.admin, run.id, "finished");
});

test("below the limit no upload is accepted, running jobs are left alone, and uploads work again by themselves", async () => {
  const run = await started("busy");
  const job = await api.backend.startedJob(0);
  const upload = () =>
    api.inject({
      method: "POST",
      url: `/api/workflows/${run.id}/workspace?file_name=x&${T(api.admin)}`,
      payload: "x",
    });
  disk.become(LOW);
  const refused = await upload();
  expect([refused.statusCode, refused.json()]).toEqual([
    507,
    {
      message:
        "The server's disk is nearly full (12 MiB free; the server keeps 64 MiB free): no file was stored. " +
        "Free some space, for example by deleting runs, then upload again.",
      code: "disk-full",
    },
  ]);
  api.backend.end(job);
  await untilStatus(api, api.admin, run.id, "finished");
  disk.become(undefined);
  expect((await upload()).statusCode).toBe(200);
});

test("on a full disk a live run says so, nothing more is stored, and stopping and deleting work", async () => {
  const [run, other] = [await started("full"), await createRun(api, api.admin, "other")];
  await api.backend.startedJob(0);
  await untilStatus(api, api.admin, run.id, "running");
  disk.become(FULL);
  expect(await waitingFor(run)).toBe(IS_FULL);
  const ready = await api.inject("/readyz");
  expect([ready.statusCode, ready.json()]).toEqual([503, { message: IS_FULL, code: expect.any(String) }]);
  for (const url of [
    `/api/workflows?${T(api.admin)}`,
    `/api/workflows/${other.id}/workspace?file_name=x&${T(api.admin)}`,
  ]) {
    const reply = await api.inject({ method: "POST", url, payload: serial(["x"]) });
    expect([reply.statusCode, reply.json()]).toEqual([
      507,
      {
        message:
          "The server's disk is full (4 KiB free): nothing was stored. " +
          "Free space on it, for example by deleting runs, or ask its administrator to.",
        code: "disk-full",
      },
    ]);
  }
  expect((await changeStatus(api, api.admin, other.id, "start")).statusCode).toBe(507);
  expect((await changeStatus(api, api.admin, run.id, "stop")).json()).toMatchObject({ status: "stopped" });
  expect((await changeStatus(api, api.admin, run.id, "deleted")).json()).toMatchObject({ status: "deleted" });
  disk.become(undefined);
  expect((await api.inject("/readyz")).statusCode).toBe(200);
  expect((await changeStatus(api, api.admin, other.id, "start")).statusCode).toBe(200);
});
