import { afterAll, describe, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { systemClock } from "#plumbing/clock";
import { jobsOfRun } from "#store/jobs/jobs";
import { withWayOut } from "#workflow/job/doubt";
import { apiFixture } from "../../support/api-fixture.ts";
import { serial } from "../../support/run-rows.ts";

const api = await apiFixture();
const url = await api.listen();
afterAll(() => api.close());

const CONCERN = "The node n1 of the job has been silent since 2026-11-27 10:00:00 UTC.";

describe("a job that an administrator declares lost", () => {
  const call = (method: "GET" | "POST" | "PUT", path: string, payload: object = {}) =>
    api.inject({
      method,
      url: `/api/${path}${path.includes("?") ? "&" : "?"}access_token=${api.adminToken}`,
      ...(method === "POST" && { payload }),
    });
  const begin = async () => {
    const index = api.backend.started.length;
    const { workflow_id: run } = (await call("POST", "workflows", serial(["wait"]))).json();
    await call("PUT", `workflows/${run}/status?status=start`);
    return { run: String(run), job: await api.backend.startedJob(index) };
  };
  const isInDoubt = async (run: string, job: string) => {
    await hasConcern(run, job, withWayOut(CONCERN, job));
  };
  const hasConcern = async (run: string, job: string, concern: string) => {
    api.backend.report(job, { startedAtMs: 5000, concern });
    await expect.poll(async () => (await jobsOfRun(api.operations.db, run))[0]).toMatchObject({ concern });
  };
  const declare = (job: string) => call("POST", `admin/jobs/${job}/declare-lost`);
  const status = async (run: string) => (await call("GET", `workflows/${run}/status`)).json();

  test("fails its run with the reason lost", async () => {
    const { run, job } = await begin();
    expect(await status(run)).toMatchObject({ status: "running" });
    const early = await declare(job);
    expect(early.statusCode).toBe(409);
    expect(early.json().message).toContain("nothing is wrong with its node");
    await isInDoubt(run, job);
    const reply = await declare(job);
    expect(reply.statusCode, reply.body).toBe(200);
    expect(reply.json()).toEqual({ id: job, name: "s0", workflow_id: run, compute_backend: "Fake" });
    await expect.poll(() => status(run)).toMatchObject({ status: "failed" });
    expect((await declare(job)).statusCode).toBe(409);
  });

  test("has a silent node: a late file is no reason", async () => {
    const { run, job } = await begin();
    await hasConcern(run, job, "fit.root is not yet visible on this server (512 of 2048 bytes, 4 s)");
    const reply = await declare(job);
    expect(reply.statusCode).toBe(409);
    expect(reply.json().message).toBe(
      `The job ${job} is running: fit.root is not yet visible on this server (512 of 2048 bytes, 4 s). Only a running job ` +
        "whose node does not answer can be declared lost. To end a job, stop its run.",
    );
    api.backend.end(job, { exitCode: 0 });
  });

  test("may have ended at this very moment", async () => {
    const { run, job } = await begin();
    await isInDoubt(run, job);
    const { declareLost } = api.backend;
    api.backend.declareLost = async () => false;
    const reply = await declare(job);
    api.backend.declareLost = declareLost!;
    expect(reply.statusCode).toBe(409);
    expect(reply.json().message).toContain("its end is recorded already");
    api.backend.end(job, { exitCode: 0 });
  });

  test("is named by its id, on the command line too", async () => {
    const unknown = await declare("nothing");
    expect(unknown.statusCode).toBe(404);
    expect(unknown.json().message).toContain("No job has the id nothing.");
    const { run, job } = await begin();
    await isInDoubt(run, job);
    const environment = { REPRISE_SERVER: url, REPRISE_TOKEN: api.admin.token };
    const cli = fakeCli({ environment, clock: systemClock });
    expect(await runCli(["admin", "declare-job-lost", job], cli), cli.errors.join()).toBe(0);
    expect(cli.printed).toEqual([
      `The job ${job} of the step "s0" is declared lost: its run continues without it.`,
    ]);
    await expect.poll(() => status(run)).toMatchObject({ status: "failed" });
  });
});
