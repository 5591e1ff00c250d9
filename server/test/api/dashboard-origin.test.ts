import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { notebookCookie } from "#api/notebooks/notebook-cookie";
import { buildNotebookServer } from "#api/notebooks/notebook-server";
import { notebookPath } from "#notebooks/notebook-path";
import { createLog } from "#plumbing/log";
import { DASHBOARD_SECRET_SOCKET } from "#workflow/dask-dashboard";
import { apiFixture } from "../support/api-fixture.ts";
import { fakeBackend } from "../support/fakes/fake-backend.ts";
import { changeStatus, createRun, serial, T } from "../support/run-rows.ts";
import { makeCallers } from "./caller-kinds.ts";

/** A stand-in for the scheduler, with a socket for the secret and a socket for the pages. */
let secret = "s".repeat(43);
const teller = createServer((socket) => socket.end(secret));
const pages = createHttpServer((_request, response) => response.end("the dashboard"));
const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

const backend = Object.assign(fakeBackend(), {
  connect: async (_id: string, name: string) =>
    connect(portOf(name === DASHBOARD_SECRET_SOCKET ? teller : pages), "127.0.0.1"),
});
const api = await apiFixture({ parts: { backends: [backend] } });
const { owner, tokens, share } = await makeCallers(api);
const log = createLog({ level: "error", destination: { write: () => undefined } });
const origin = buildNotebookServer({ operations: api.operations, log, config: { host: "127.0.0.1" } });
afterAll(async () => {
  for (const server of [teller, pages, origin]) server.close();
  await api.close();
});

let run: string;
beforeAll(async () => {
  for (const server of [teller, pages, origin]) await once(server.listen(0, "127.0.0.1"), "listening");
  const { workflow } = serial(["true"]);
  const specification = { workflow: { ...workflow, resources: { dask: { image: "dask" } } } };
  run = (await createRun(api, owner, "dask", specification)).id;
  await share(run);
  await changeStatus(api, owner, run, "start");
});

const link = async (token = owner.token) =>
  api.inject({ url: `/api/workflows/${run}/dask-dashboard?access_token=${token}` });
const ask = (path: string, cookie = "") =>
  fetch(`http://127.0.0.1:${portOf(origin)}${path}`, { redirect: "manual", headers: { cookie } });
const cookieOf = (of: string) => notebookCookie(run, of, "/", false).split(";", 1)[0]!;

describe("the dashboard of a Dask cluster", () => {
  test("is there once the scheduler runs", async () => {
    await expect.poll(() => api.operations.dashboards.maybeScheduler(run)).toBeDefined();
  });

  test("has an address for the owner alone, with the secret of the scheduler", async () => {
    for (const who of ["shared", "stranger"] as const) expect((await link(tokens[who])).statusCode).toBe(403);
    // The fixture has no second origin of its own.
    expect((await link()).json()).toMatchObject({
      message: expect.stringContaining("no address for dashboards"),
    });
  });

  test("is opened by the secret, and then by the cookie at its path alone", async () => {
    const path = notebookPath(run, secret);
    const opened = await ask(`/${run}/?token=${secret}`);
    expect([opened.status, opened.headers.get("location")]).toEqual([303, `${path}status`]);
    expect(await (await ask(`${path}status`, cookieOf(secret))).text()).toBe("the dashboard");
    expect((await ask(`${path}status`)).status).toBe(403);
    expect((await ask(`/${run}/status`, cookieOf(secret))).status).toBe(403);
    expect((await ask(`${path}status`, cookieOf("t".repeat(43)))).status).toBe(403);
    expect((await ask(`/${run}/?token=${owner.token}`)).status).toBe(403);
  });

  test("is absent if the scheduler shows no dashboard, or prints anything but a secret", async () => {
    const before = secret;
    for (const said of ["", "../..", "x".repeat(10_000)]) {
      secret = said;
      const reply = await link();
      expect(reply.json()).toMatchObject({ message: expect.stringContaining("bokeh") });
      expect((await ask(`/${run}/?token=${said}`)).status).toBe(404);
    }
    secret = before;
  });

  test("closes with the run", async () => {
    await changeStatus(api, owner, run, "stop");
    await expect
      .poll(async () => (await link()).json())
      .toMatchObject({
        message: "Workflow dask.1 has no running Dask cluster.",
      });
    expect((await ask(`${notebookPath(run, secret)}status`, cookieOf(secret))).status).toBe(404);
    expect((await api.inject({ url: `/api/workflows?${T(owner)}` })).json()).toMatchObject([
      { services: [{ status: "deleted" }] },
    ]);
  });
});
