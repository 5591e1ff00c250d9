import { afterAll, describe, expect, test } from "vitest";
import { createCwlEngine } from "#engines/cwl/cwl-engine";
import { serialEngine } from "#engines/serial/serial-engine";
import { yadageEngine } from "#engines/yadage/yadage-engine";
import { apiFixture } from "../../support/api-fixture.ts";
import { fakeBackend } from "../../support/fakes/fake-backend.ts";
import { changeStatus, createRun, T, untilStatus } from "../../support/run-rows.ts";
import { runnable } from "../../support/server-parts.ts";

/** A server with two GPUs, and a cluster that has as many as it likes. */
const withGpus = (name: string, word: string, gpus: number) => {
  const backend = fakeBackend({ name, isHostBound: word === "local", computeBackends: [word] });
  return { ...backend, capabilities: { ...backend.capabilities, maxGpus: () => gpus } };
};
const here = withGpus("Here", "local", 2);
const cluster = withGpus("Cluster", "slurm", Infinity);
const cwl = { ...runnable(createCwlEngine()), namesImages: true as const };
const engines = [runnable(serialEngine), cwl, runnable(yadageEngine)];
const api = await apiFixture({ parts: { engines, backends: [here, cluster] } });
const none = await apiFixture({ parts: { engines, backends: [withGpus("Here", "local", 0)] } });
afterAll(async () => {
  await api.close();
  await none.close();
});
const ada = await api.makeUser();
const bob = await none.makeUser();

const serial = (step: object) => ({
  inputs: {},
  workflow: {
    type: "serial",
    specification: { steps: [{ name: "train", environment: "any", commands: ["train"], ...step }] },
  },
});

const cwlTool = (demand: object) => ({
  inputs: {},
  workflow: {
    type: "cwl",
    specification: {
      cwlVersion: "v1.2",
      class: "CommandLineTool",
      $namespaces: { cwltool: "http://commonwl.org/cwltool#" },
      id: "#main",
      baseCommand: "true",
      inputs: [],
      outputs: [],
      ...demand,
    },
  },
});

const yadage = (resource: object) => ({
  inputs: {},
  workflow: {
    type: "yadage",
    specification: {
      stages: [
        {
          name: "train",
          dependencies: [],
          scheduler: {
            scheduler_type: "singlestep-stage",
            parameters: {},
            step: {
              process: { process_type: "string-interpolated-cmd", cmd: "true" },
              environment: { environment_type: "docker-encapsulated", image: "any", resources: [resource] },
              publisher: { publisher_type: "constant-pub", publish: {} },
            },
          },
        },
      ],
    },
  },
});

const cuda = (number: number) =>
  cwlTool({ requirements: { "cwltool:CUDARequirement": { cudaDeviceCountMin: number } } });

async function refusalOf(fixture: typeof api, user: typeof ada, specification: object): Promise<string> {
  const { id } = await createRun(fixture, user, "w", specification);
  const reply = await changeStatus(fixture, user, id, "start");
  expect(reply.statusCode).toBe(400);
  return reply.json<{ message: string }>().message;
}

describe("a step that asks for GPUs", () => {
  test.each([
    [serial({ gpus: 3 }), 'Step "train" asks for 3 GPUs (gpus), and this server has 2 GPUs.'],
    [serial({ gpus: 0.5 }), 'Step "train": gpus is 0.5; it must be a whole number of GPUs from 0 to 1024.'],
    [serial({ kubernetes_gpus: "many" }), 'Step "train": kubernetes_gpus is "many"; it must be a whole'],
    [cuda(3), "main asks for 3 GPUs (cwltool:CUDARequirement), and this server has 2 GPUs."],
    [cwlTool({ hints: { reana: { gpus: 3 } } }), "asks for 3 GPUs (gpus), and this server has 2 GPUs."],
    [yadage({ gpus: 3 }), 'Step "train" asks for 3 GPUs (gpus), and this server has 2 GPUs.'],
  ])("is refused by name at the start if it cannot have them: %j", async (specification, sentence) => {
    expect(await refusalOf(api, ada, specification)).toContain(sentence);
  });

  test.each([
    [serial({ gpus: 2 }), 'Step "train" asks for a GPU (gpus), which this server cannot give.'],
    [cuda(1), "main asks for a GPU (cwltool:CUDARequirement), which this server cannot give."],
  ])("gets a warning, and no start on a server without GPUs: %j", async (specification, sentence) => {
    const url = `/api/workflows?workflow_name=w&${T(bob)}`;
    const created = await none.inject({ method: "POST", url, payload: specification });
    expect(JSON.stringify(created.json())).toContain(JSON.stringify(sentence).slice(1, -1));
    expect(await refusalOf(none, bob, specification)).toContain(sentence);
  });

  test("gets the GPUs of its compute backend", async () => {
    const { id } = await createRun(api, ada, "w", serial({ gpus: 9, compute_backend: "slurm" }));
    expect((await changeStatus(api, ada, id, "start")).statusCode).toBe(200);
    const job = await cluster.startedJob(0);
    expect(cluster.submissions[0]!.job.resources).toEqual({ cores: 1, memoryBytes: 0, gpus: 9 });
    cluster.end(job);
    await untilStatus(api, ada, id, "finished");
  });

  test("starts without the GPUs of a hint", async () => {
    const hint = cwlTool({ hints: { "cwltool:CUDARequirement": {} } });
    const { id } = await createRun(none, bob, "w", hint);
    expect((await changeStatus(none, bob, id, "start")).statusCode).toBe(200);
    await changeStatus(none, bob, id, "stop");
  });
});
