import { afterAll, expect, test } from "vitest";
import { apiFixture } from "../../support/api-fixture.ts";
import { fakeBackend } from "../../support/fakes/fake-backend.ts";
import { changeStatus, createRun, T, untilStatus } from "../../support/run-rows.ts";

const here = fakeBackend();
const cluster = fakeBackend({
  name: "Cluster",
  isHostBound: false,
  computeBackends: ["slurmcern"],
  outsideIdOf: () => "4711",
});
const cvmfsProblem = async (name: string) => (name === "sft.cern.ch" ? undefined : `${name} is absent.`);
const seeing = { ...here, capabilities: { ...here.capabilities, cvmfsProblem } };
const api = await apiFixture({ parts: { backends: [seeing, cluster] } });
afterAll(() => api.close());
const ada = await api.makeUser();

const specification = (...backends: readonly (string | undefined)[]) => ({
  inputs: {},
  workflow: {
    type: "serial",
    specification: {
      steps: backends.map((compute_backend, index) => ({
        name: `s${index}`,
        environment: "any",
        commands: [`echo ${index}`],
        ...(compute_backend !== undefined && { compute_backend }),
        slurm_partition: "long",
        kubernetes_job_timeout: 60,
      })),
    },
  },
});

const absent = (step: string) =>
  `Compute backend "htcondorcern" found in step "${step}" is not supported. ` +
  'List of supported compute backends: "kubernetes, slurmcern"';

test("a step with a backend of the server runs on the backend, with options and the outside name", async () => {
  const run = await createRun(api, ada, "two", specification(undefined, "slurmcern"));
  expect((await changeStatus(api, ada, run.id, "start")).statusCode).toBe(200);
  here.end(await here.startedJob(0));
  const id = await cluster.startedJob(0);
  expect(cluster.submissions[0]!.job.backend).toEqual({
    name: "slurmcern",
    options: { slurm_partition: "long" },
  });
  expect(here.submissions[0]!.job.backend).toBeUndefined();
  cluster.end(id);
  await untilStatus(api, ada, run.id, "finished");
  const { logs } = (await api.inject({ url: `/api/workflows/${run.id}/logs?${T(ada)}` })).json<{
    logs: string;
  }>();
  const { job_logs } = JSON.parse(logs) as { job_logs: Readonly<Record<string, object>> };
  const ownId = here.started[0]!;
  expect(job_logs[ownId]).toMatchObject({ compute_backend: "Fake", backend_job_id: ownId });
  expect(job_logs[id]).toMatchObject({ compute_backend: "Cluster", backend_job_id: "4711" });
  const jobs = await api.inject({ url: `/api/workflows/${run.id}/jobs?${T(ada)}` });
  expect(jobs.json()).toMatchObject({
    items: [
      { id: ownId, backend: "Fake", backend_job_id: ownId },
      { id, backend: "Cluster", backend_job_id: "4711" },
    ],
  });
});

test("a step with another backend gets a warning at the creation, and is named at the start", async () => {
  const url = `/api/workflows?workflow_name=astray&${T(ada)}`;
  const payload = specification("slurmcern", "htcondorcern");
  const created = await api.inject({ method: "POST", url, payload });
  expect(created.statusCode).toBe(201);
  expect(created.json()).toMatchObject({
    validation_warnings: [
      {
        code: "compute_backend",
        path: "workflow.specification.steps.1.compute_backend",
        message: absent("s1"),
      },
    ],
  });
  const refusal = `Workflow astray.1 could not be started. ${absent("s1")}`;
  const start = await changeStatus(api, ada, "astray.1", "start");
  expect([start.statusCode, start.json()]).toEqual([400, { message: refusal, code: expect.any(String) }]);
  const actions = await api.inject({ url: `/api/workflows/astray.1/actions?${T(ada)}` });
  expect(actions.body).toContain(JSON.stringify(refusal).slice(1, -1));
  expect(cluster.started).toHaveLength(1);
});

test("a restart with another specification is refused in the same way", async () => {
  const run = await createRun(api, ada, "again", specification(undefined));
  await changeStatus(api, ada, run.id, "start");
  here.end(await here.startedJob(1));
  await untilStatus(api, ada, run.id, "finished");
  const restart = await changeStatus(api, ada, run.id, "start", {
    restart: true,
    reana_specification: specification("htcondorcern"),
  });
  const message = `Workflow again.1 could not be restarted. ${absent("s0")}`;
  expect([restart.statusCode, restart.json()]).toMatchObject([400, { message }]);
});

test("a start is refused if a step demands an unavailable feature, and the refusal names the feature", async () => {
  const { workflow, ...rest } = specification(undefined);
  const resources = {
    privileged: true,
    dask: { image: "x", number_of_workers: 30 },
    cvmfs: ["sft.cern.ch", "lhcb.cern.ch"],
  };
  const run = await createRun(api, ada, "wishes", { ...rest, workflow: { ...workflow, resources } });
  const sentences = [
    'The "number_of_workers" provided in the dask resources exceeds the limit (20).',
    "The workflow asks for the rights of the machine's administrator (privileged), which this server cannot give.",
  ];
  const refused = await changeStatus(api, ada, run.id, "start");
  expect(refused.statusCode).toBe(400);
  for (const sentence of [...sentences, "lhcb.cern.ch is absent."])
    expect(refused.json<{ message: string }>().message).toContain(sentence);
});
