import { afterAll, describe, expect, test } from "vitest";
import { disableUser } from "#operations/users/accounts";
import { issueToken } from "#operations/users/tokens";
import { jobsOfRun } from "#store/jobs/jobs";
import { insertNotebook } from "#store/runs/notebooks";
import { daysOfUse, recountDaysOfUse } from "#store/runs/usage-days";
import { putLimit } from "#store/users/quotas";
import type { TokenScope } from "#workflow/people/token-scope";
import { apiFixture, type FixtureUser } from "../../support/api-fixture.ts";
import { connectableBackend } from "../../support/fakes/connectable-backend.ts";
import { fakeBackend } from "../../support/fakes/fake-backend.ts";
import { movableClock } from "../../support/fakes/movable-clock.ts";
import { changeStatus, createRun, T, untilStatus } from "../../support/run-rows.ts";

/** Tests when notebooks are opened and closed. `server/test/notebooks` opens real notebooks. */
const DAY_MS = 86_400_000;
const MOST = 3;
const clock = movableClock();
const backend = connectableBackend();
const { cpuMsOfJobs } = backend;
Object.assign(backend.capabilities, { imageProblem: () => undefined });
const settings = {
  program: "/opt/jupyter/bin/jupyter-lab",
  allowsImages: false,
  most: MOST,
  memoryBytes: 2 ** 30,
  idleMs: DAY_MS,
};
const api = await apiFixture({ parts: { clock, backends: [backend], notebooks: settings } });
afterAll(() => api.close());

const ada = await api.makeUser("ada@example.org");
const post = async (user: FixtureUser, run: string, place: string, payload?: object) => {
  const url = `/api/workflows/${run}/${place}?${T(user)}`;
  const reply = await api.inject({ method: "POST", url, ...(payload && { payload }) });
  return [reply.statusCode, reply.json<{ message?: string; path?: string }>()] as const;
};
const open = (run: string, user = ada, body: object = {}) => post(user, run, "open/jupyter", body);
const close = (run: string, user = ada) => post(user, run, "close");
const isOpen = async (run: string) => (await api.operations.notebooks.maybeOf(run)) !== undefined;

describe("a notebook", () => {
  test("is a job without a core, with a limit on its memory, whose token no argument shows", async () => {
    const { id } = await createRun(api, ada, "job");
    expect(await open(id)).toEqual([200, { path: `/${id}` }]);
    const { job, secrets } = backend.submissions.at(-1)!;
    expect(job).toMatchObject({ image: null, isHostProgram: true });
    expect(job).toMatchObject({ resources: { cores: 0 }, limits: { memoryBytes: 2 ** 30 }, network: "full" });
    const token = secrets!.environment["JUPYTER_TOKEN"]!;
    expect(JSON.stringify(job)).not.toContain(token);
    expect(await close(id)).toEqual([200, { message: "The interactive session has been closed" }]);
  });

  test.each([
    [
      "another type",
      "open/rstudio",
      {},
      404,
      /^Interactive session type rstudio not found, try with one of: \['jupyter'\]\.$/,
    ],
    [
      "an image without containers",
      "open/jupyter",
      { image: "a/b" },
      400,
      /^Custom container image a\/b is not allowed\.$/,
    ],
  ])("is refused for %s", async (name, place, body, status, sentence) => {
    const { id } = await createRun(api, ada, name.replaceAll(" ", "-"));
    const [code, { message }] = await post(ada, id, place, body);
    expect([code, message]).toEqual([status, expect.stringMatching(sentence)]);
  });

  test("is refused beyond the limit of the server, and for a deleted run", async () => {
    const runs = [];
    for (let left = MOST; left >= 0; left -= 1) runs.push((await createRun(api, ada, `many-${left}`)).id);
    for (const id of runs.slice(1)) expect((await open(id))[0]).toBe(200);
    const [status, { message }] = await open(runs[0]!);
    expect([status, message]).toEqual([409, expect.stringContaining("(--max-notebooks)")]);
    for (const id of runs.slice(1)) await close(id);
    await changeStatus(api, ada, runs[0]!, "deleted");
    expect((await open(runs[0]!))[0]).toBe(409);
    expect(await isOpen(runs[0]!)).toBe(false);
  });

  test("is closed after a day without a request, and when its user is disabled", async () => {
    const bob = await api.makeUser("bob@example.org");
    const [idle, used, his] = [
      (await createRun(api, ada, "idle")).id,
      (await createRun(api, ada, "used")).id,
      (await createRun(api, bob, "his")).id,
    ];
    await Promise.all([open(idle), open(used), open(his, bob)]);
    await disableUser(api.operations, bob.id);
    clock.pass(DAY_MS / 2);
    await expect.poll(() => isOpen(his)).toBe(false);
    await api.operations.notebooks.connect((await api.operations.notebooks.maybeOf(used))!).catch(() => {});
    clock.pass(DAY_MS / 2 + 60_000);
    await expect.poll(() => isOpen(idle)).toBe(false);
    expect(await isOpen(used)).toBe(true);
    await close(used);
  });

  test("of another host is closed there alone, and keeps its run from being deleted", async () => {
    const { id } = await createRun(api, ada, "far");
    await open(id);
    const moveTo = (host_id: string) => api.operations.db.updateTable("notebooks").set({ host_id }).execute();
    await moveTo("elsewhere");
    const sentence = expect.stringContaining("runs on another host") as string;
    expect(await close(id)).toMatchObject([409, { message: sentence }]);
    expect((await changeStatus(api, ada, id, "deleted")).statusCode).toBe(409);
    await moveTo("host");
    expect((await changeStatus(api, ada, id, "deleted")).statusCode).toBe(200);
    expect(await isOpen(id)).toBe(false);
  });

  test("is refused when a quota is used up, which leaves an open one", async () => {
    const eve = await api.makeUser("eve@example.org");
    const [opened, used] = [await createRun(api, eve, "opened"), await createRun(api, eve, "used")];
    expect((await open(opened.id, eve))[0]).toBe(200);
    await changeStatus(api, eve, used.id, "start");
    await untilStatus(api, eve, used.id, "running");
    backend.end((await jobsOfRun(api.operations.db, used.id))[0]!.id, { usage: { cpuMs: 5000 } });
    await untilStatus(api, eve, used.id, "finished");
    await putLimit(api.operations.db, eve.id, "cpu", 5000);
    const message = expect.stringMatching(
      /^User quota exceeded\.\nResource: cpu, usage: 5s out of 5s/,
    ) as string;
    expect(await open(used.id, eve)).toMatchObject([403, { message, code: "quota-exceeded" }]);
    expect(await isOpen(used.id)).toBe(false);
    expect(await open(opened.id, eve)).toMatchObject([404, { code: "notebook-open" }]);
    expect(await close(opened.id, eve)).toMatchObject([200, {}]);
  });
});

describe("the processor time of a notebook", () => {
  const LOOK_MS = 11_000;
  const { db } = api.operations;
  const cpuMsOf = async (user: FixtureUser) =>
    (await api.inject(`/api/you?${T(user)}`)).json().quota.cpu.usage.raw as number;
  const opened = async (user: FixtureUser, name: string) => {
    const { id } = await createRun(api, user, name);
    expect((await open(id, user))[0]).toBe(200);
    return { id, job: backend.started.at(-1)! };
  };
  const usageOf = async (user: FixtureUser) => {
    const url = `/api/admin/usage?user=${user.id}&access_token=${api.adminToken}`;
    return (await api.inject(url)).json<object[]>();
  };

  test("counts for its user when it has ended, by itself or not, and equals a recount", async () => {
    const user = await api.makeUser();
    const [first, second] = [await opened(user, "first"), await opened(user, "second")];
    backend.end(first.job, { exitCode: 137, usage: { cpuMs: 3000 } });
    await expect.poll(() => isOpen(first.id)).toBe(false);
    expect((await close(first.id, user))[1].message).toMatch(
      /The last one has ended\. JupyterLab ended by itself \(exit code 137\)\.$/,
    );
    cpuMsOfJobs.set(second.job, 4000);
    expect((await close(second.id, user))[0]).toBe(200);
    expect(await cpuMsOf(user)).toBe(7000);
    expect(await usageOf(user)).toMatchObject([{ id_: user.id, runs: 0, cpu_ms: 7000, wall_ms: 0 }]);
    expect(await daysOfUse(db, { fromDay: 0, toDay: 1e6 })).toEqual(await recountDaysOfUse(db));
    expect(await daysOfUse(db, { userId: user.id, fromDay: 0, toDay: 1e6 })).toHaveLength(1);
  });

  test("ends it with the reason when a quota is used up, together with that of running jobs", async () => {
    const user = await api.makeUser();
    await putLimit(db, user.id, "cpu", 5000);
    const run = await createRun(api, user, "beside");
    await changeStatus(api, user, run.id, "start");
    await untilStatus(api, user, run.id, "running");
    const { id, job } = await opened(user, "busy");
    cpuMsOfJobs.set((await jobsOfRun(db, run.id))[0]!.id, 3000).set(job, 1999);
    clock.pass(LOOK_MS);
    await api.operations.notebooks.look();
    expect(await isOpen(id)).toBe(true);
    cpuMsOfJobs.set(job, 2000);
    clock.pass(LOOK_MS);
    await expect.poll(() => isOpen(id)).toBe(false);
    await untilStatus(api, user, run.id, "failed");
    const reason =
      "The last one has ended. User quota exceeded.\nResource: cpu, usage: 5s out of 5s used (100%)\n";
    const refused = [404, { message: expect.stringContaining(reason) }];
    expect(await close(id, user)).toMatchObject(refused);
    const secret = await api.inject(`/api/workflows/${id}/interactive-session-secret?${T(user)}`);
    expect([secret.statusCode, secret.json()]).toMatchObject(refused);
  });
});

describe("a notebook whose job an earlier server did not order", () => {
  /** Records a notebook, like a server killed before it orders the job. */
  async function recorded(user: FixtureUser, name: string, image: string | null) {
    const { db, tokenSeal, random } = api.operations;
    const { id: runId } = await createRun(api, user, name);
    const sealed = tokenSeal.seal("secret");
    const atMs = clock.now();
    await insertNotebook(db, {
      runId,
      id: random.uuid(),
      hostId: "host",
      hostToken: backend.hostToken,
      image,
      sealed,
      status: "created",
      openedAtMs: atMs,
      usedAtMs: atMs,
    });
    return runId;
  }

  test("gets a job, unless the image or the user has lost the permission", async () => {
    const [user, poor] = [await api.makeUser(), await api.makeUser()];
    const used = await createRun(api, poor, "used");
    await changeStatus(api, poor, used.id, "start");
    await untilStatus(api, poor, used.id, "running");
    const url = `/api/admin/policies/everybody?access_token=${api.adminToken}`;
    await api.inject({ method: "PUT", url, payload: { images: ["python"] } });
    const [plain, allowed] = [
      await recorded(user, "plain", null),
      await recorded(user, "allowed", "python:3"),
    ];
    const [refused, over] = [await recorded(user, "refused", "other:1"), await recorded(poor, "over", null)];
    await putLimit(api.operations.db, poor.id, "wall", 1);
    clock.pass(1000);
    await api.operations.notebooks.look();
    expect([await isOpen(plain), await isOpen(allowed)]).toEqual([true, true]);
    expect([await isOpen(refused), await isOpen(over)]).toEqual([false, false]);
    expect((await close(refused, user))[1].message).toMatch(
      /The last one has ended\. Image not allowed: other:1\. The policy of this server for you allows: python\.$/,
    );
    expect((await close(over, poor))[1].message).toMatch(
      /has ended\. User quota exceeded\.\nResource: wall, /,
    );
    // A policy does not end a running notebook.
    await api.inject({ method: "PUT", url, payload: { images: [] } });
    await api.operations.notebooks.look();
    expect(await isOpen(allowed)).toBe(true);
    await api.inject({ method: "PUT", url, payload: { images: null } });
    for (const id of [plain, allowed]) await close(id, user);
  });
});

test("a token that only reads is not shown the secrets of notebooks", async () => {
  const { id } = await createRun(api, ada, "secretive");
  expect((await open(id))[0]).toBe(200);
  const secretsFor = async (scope: TokenScope) => {
    const { token } = await issueToken(api.operations, {
      user: ada.id,
      revokeOthers: false,
      limits: { scope },
    });
    const query = `type=interactive&include_session_secrets=true&access_token=${token}`;
    const { items } = (await api.inject(`/api/workflows?${query}`)).json();
    return items.map((item: { session_secret?: string }) => item.session_secret?.length);
  };
  expect(await secretsFor("runs")).toEqual([43]);
  expect(await secretsFor("read")).toEqual([undefined]);
  await close(id);
});

test("a server whose steps run on Kubernetes says that notebooks do not run on Kubernetes", async () => {
  const other = await apiFixture({ parts: { backends: [fakeBackend({ name: "Kubernetes" })] } });
  try {
    const user = await other.makeUser();
    const { id } = await createRun(other, user, "pods");
    const url = `/api/workflows/${id}/open/jupyter?${T(user)}`;
    const reply = await other.inject({ method: "POST", url, payload: {} });
    expect(reply.statusCode).toBe(404);
    expect(reply.json<{ message: string }>().message).toBe(
      "Notebooks do not run on Kubernetes: this server runs its steps there, and found no jupyter-lab on its own machine.",
    );
  } finally {
    await other.close();
  }
});

test("the image of a notebook is allowed by the server and by a policy of the user", async () => {
  const problem = "Image not allowed: jupyter/bad:1";
  const imageProblem = (image: string) => (image === "jupyter/bad:1" ? problem : undefined);
  const plain = connectableBackend();
  const backends = [{ ...plain, capabilities: { ...plain.capabilities, imageProblem } }];
  const other = await apiFixture({ parts: { backends, notebooks: { ...settings, allowsImages: true } } });
  try {
    const [member, stranger] = [await other.makeUser(), await other.makeUser()];
    const allow = (group: string, images: string[]) => {
      const url = `/api/admin/policies/${group}?access_token=${other.adminToken}`;
      return other.inject({ method: "PUT", url, payload: { images } });
    };
    const groups = `/api/groups?${T(member)}`;
    await other.inject({ method: "POST", url: groups, payload: { name: "physics" } });
    await allow("everybody", ["python"]);
    await allow("physics", ["jupyter/*"]);
    const openIn = async (user: FixtureUser, image: string) => {
      const { id } = await createRun(other, user, "image");
      const at = `/api/workflows/${id}/open/jupyter?${T(user)}`;
      const reply = await other.inject({ method: "POST", url: at, payload: { image } });
      return reply.statusCode === 200 ? 200 : [reply.statusCode, reply.json<{ message: string }>().message];
    };
    const refused = (image: string, why: string) => [
      400,
      `Custom container image ${image} is not allowed. ${why}`,
    ];
    const byPolicy = (image: string, allowed: string) =>
      refused(image, `Image not allowed: ${image}. The policy of this server for you allows: ${allowed}.`);
    expect(await openIn(member, "other:1")).toEqual(byPolicy("other:1", "python, jupyter/*"));
    expect(await openIn(stranger, "jupyter/lab:4")).toEqual(byPolicy("jupyter/lab:4", "python"));
    expect(await openIn(member, "jupyter/bad:1")).toEqual(refused("jupyter/bad:1", problem));
    expect(await openIn(member, "jupyter/lab:4")).toBe(200);
    expect(plain.submissions.map(({ job }) => job.image)).toEqual(["jupyter/lab:4"]);
  } finally {
    await other.close();
  }
});
