import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { jobsOfRun } from "#store/jobs/jobs";
import { insertNotebook } from "#store/runs/notebooks";
import { putLimit } from "#store/users/quotas";
import { apiFixture, type FixtureUser } from "../../support/api-fixture.ts";
import { connectableBackend } from "../../support/fakes/connectable-backend.ts";
import { changeStatus, createRun, statusOf, T, untilStatus } from "../../support/run-rows.ts";
import { duOf, workspaceClient } from "../../support/workspace-client.ts";

/** Tests the quotas of users with open notebooks, and the look at notebooks when something fails. */
const backend = connectableBackend();
const { cpuMsOfJobs } = backend;
const settings = {
  program: "/opt/jupyter/bin/jupyter-lab",
  allowsImages: false,
  most: 100,
  memoryBytes: 2 ** 30,
  idleMs: undefined,
};
const parts = { backends: [backend], notebooks: settings };
const api = await apiFixture({ parts });
afterAll(() => api.close());
afterEach(() => vi.restoreAllMocks());
const { db, notebooks, quotas } = api.operations;

const CPU_LIMIT_MS = 5000;

async function limitedUser() {
  const user = await api.makeUser();
  await putLimit(db, user.id, "cpu", CPU_LIMIT_MS);
  return user;
}

/** Opens the notebook of a new run. */
async function opened(user: FixtureUser, name: string, cpuMs = 0) {
  const run = await createRun(api, user, name);
  await notebooks.open(run.id, null);
  const job = backend.started.at(-1)!;
  cpuMsOfJobs.set(job, cpuMs);
  return { runId: run.id, job };
}

const isOpen = async (runId: string) => (await notebooks.maybeOf(runId)) !== undefined;
const close = async (user: FixtureUser, runId: string) => {
  const reply = await api.inject({ method: "POST", url: `/api/workflows/${runId}/close?${T(user)}` });
  return reply.json<{ message: string }>().message;
};
const quotaOf = async (user: FixtureUser) => (await api.inject(`/api/you?${T(user)}`)).json().quota;

test("a notebook that ends while its use is read does not count twice", async () => {
  const user = await limitedUser();
  const { runId } = await opened(user, "ending", 3000);
  const read = backend.cpuMsSoFar;
  vi.spyOn(backend, "cpuMsSoFar").mockImplementationOnce(async (ids) => {
    const cpuMs = await read(ids);
    await close(user, runId);
    return cpuMs;
  });
  expect(await quotas.maybeUsedUpNow(user.id)).toBeUndefined();
  expect(await isOpen(runId)).toBe(false);
  expect((await quotaOf(user)).cpu.usage.raw).toBe(3000);
});

test("queued runs wait if an open notebook has used up the processor time", async () => {
  const user = await limitedUser();
  await opened(user, "busy", CPU_LIMIT_MS);
  const { id } = await createRun(api, user, "queued");
  await changeStatus(api, user, id, "start");
  const waitingFor = async () =>
    (await api.inject(`/api/workflows/${id}/status?${T(user)}`)).json().waiting_for;
  await expect.poll(waitingFor).toMatch(/^User quota exceeded\.\nResource: cpu, usage: 5s out of 5s/);
  expect(await statusOf(api, user, id)).toBe("queued");
});

test("processor time of a notebook on another host counts", async () => {
  const asked: string[][] = [];
  const refuse = () => Promise.reject(new Error("Not asked."));
  const others = {
    logs: { othersOf: async () => new Map(), logsOn: refuse as never },
    cpuMs: async () => 0,
    dashboards: { connect: refuse },
    notebooks: {
      connect: refuse,
      close: refuse,
      cpuMs: async (...what: string[]) => {
        asked.push(what);
        return CPU_LIMIT_MS;
      },
    },
  };
  const other = await apiFixture({ parts: { ...parts, others } });
  try {
    const [user, stranger] = [await other.makeUser(), await other.makeUser()];
    await putLimit(other.operations.db, user.id, "cpu", CPU_LIMIT_MS);
    const run = await createRun(other, user, "there");
    await insertNotebook(other.operations.db, {
      runId: run.id,
      id: "n",
      hostId: "elsewhere",
      hostToken: "",
      image: null,
      sealed: "",
      status: "running",
      openedAtMs: 1,
      usedAtMs: 1,
    });
    expect(await other.operations.quotas.maybeUsedUpNow(user.id)).toMatch(/cpu, usage: 5s out of 5s/);
    expect(asked).toContainEqual(["elsewhere", user.id]);
    expect(await other.operations.notebooks.cpuMsSoFar(stranger.id)).toBe(0);
  } finally {
    await other.close();
  }
});

test("files that a notebook writes count at once, also when the run has ended", async () => {
  const user = await api.makeUser();
  const run = await createRun(api, user, "ended");
  await changeStatus(api, user, run.id, "start");
  await untilStatus(api, user, run.id, "running");
  backend.end((await jobsOfRun(db, run.id))[0]!.id);
  await untilStatus(api, user, run.id, "finished");
  const folder = await workspaceClient(api, user).folderOf(run);
  const write = (name: string) => writeFile(path.join(folder, name), Buffer.alloc(50_000, 1));
  const bytes = async () => (await quotaOf(user)).disk.usage.raw as number;
  const before = await bytes();
  await notebooks.open(run.id, null);
  await write("first");
  const first = await bytes();
  expect(first).toBeGreaterThan(before);
  await write("second");
  expect(await bytes()).toBeGreaterThan(first);
  await write("third");
  await close(user, run.id);
  expect(await bytes()).toBe(duOf(folder));
});

describe("a notebook whose quota cannot be checked", () => {
  const failFor = (job: string) => {
    const read = backend.cpuMsSoFar;
    vi.spyOn(backend, "cpuMsSoFar").mockImplementation(async (ids) => {
      if (ids.includes(job)) throw new Error("No such file.");
      return read(ids);
    });
  };

  test("keeps no other from being closed", async () => {
    const user = await limitedUser();
    const over = await limitedUser();
    const unknown = await opened(user, "unknown");
    const used = await opened(over, "used", CPU_LIMIT_MS);
    failFor(unknown.job);
    await notebooks.look();
    expect([await isOpen(unknown.runId), await isOpen(used.runId)]).toEqual([true, false]);
    const line = api.logged.find((one) => one.includes("Looking after a notebook failed"));
    expect(JSON.parse(line!)).toMatchObject({ run: unknown.runId, err: { message: "No such file." } });
  });

  test("is found again by the next server", async () => {
    const user = await limitedUser();
    const { random, tokenSeal, clock } = api.operations;
    const { id: runId } = await createRun(api, user, "left");
    const id = random.uuid();
    const atMs = clock.now();
    await insertNotebook(db, {
      runId,
      id,
      hostId: "host",
      hostToken: backend.hostToken,
      image: null,
      sealed: tokenSeal.seal("secret"),
      status: "running",
      openedAtMs: atMs,
      usedAtMs: atMs,
    });
    failFor(id);
    await notebooks.look();
    expect(backend.submissions.at(-1)).toMatchObject({ id });
    backend.end(id);
    await expect.poll(() => isOpen(runId)).toBe(false);
  });
});

test("a notebook whose job could not be submitted gets it at the next look", async () => {
  const user = await api.makeUser();
  const { id } = await createRun(api, user, "refused");
  backend.failNextSubmit("The place is away.");
  await expect(notebooks.open(id, null)).rejects.toThrow("The place is away.");
  await notebooks.look();
  expect((await notebooks.maybeOf(id))!.status).toBe("running");
});

test("a notebook stopped with the server reports the reason", async () => {
  const own = await apiFixture({ parts: { ...parts, backends: [connectableBackend()] } });
  try {
    const user = await own.makeUser();
    const { id } = await createRun(own, user, "stopped");
    await own.operations.notebooks.open(id, null);
    await own.operations.notebooks.stop({ stopJobs: true });
    const reply = await own.inject({ method: "POST", url: `/api/workflows/${id}/close?${T(user)}` });
    expect([reply.statusCode, reply.json().message]).toEqual([
      404,
      expect.stringMatching(/The last one has ended\. The server was stopped together with its jobs\.$/),
    ]);
  } finally {
    await own.close();
  }
});
