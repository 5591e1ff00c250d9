import { afterAll, describe, expect, test } from "vitest";
import { createCwlEngine } from "#engines/cwl/cwl-engine";
import { UNKNOWN_DIGEST } from "#workflow/job/image-digest";
import { apiFixture } from "../../support/api-fixture.ts";
import { fakeBackend } from "../../support/fakes/fake-backend.ts";
import { changeStatus, createRun, T } from "../../support/run-rows.ts";
import { runnable } from "../../support/server-parts.ts";

/** Images that a CWL document requires, on a server without containers. */
const backend = fakeBackend();
const capabilities = {
  ...backend.capabilities,
  requiredImageProblem: async (image: string) =>
    image === "mapped:1" ? undefined : "This machine runs no containers.",
  imageDigest: async (image: string | null) =>
    image === null ? null : (backend.images.get(image) ?? UNKNOWN_DIGEST),
};
const engines = [{ ...runnable(createCwlEngine()), namesImages: true as const }];
const api = await apiFixture({ parts: { engines, backends: [{ ...backend, capabilities }] } });
afterAll(() => api.close());
const ada = await api.makeUser();

const tool = (container: object, as: "requirements" | "hints" = "requirements") => ({
  cwlVersion: "v1.2",
  class: "CommandLineTool",
  id: "#main",
  baseCommand: "true",
  inputs: [],
  outputs: [],
  [as]: { DockerRequirement: container },
});
const workflow = (specification: object) => ({ inputs: {}, workflow: { type: "cwl", specification } });

const REQUIRED =
  "main requires a container of the image any:1 (DockerRequirement). This machine runs no containers.";
const MADE =
  "main: its image made:1 is not on this machine, and a server makes none: `dockerFile` works in " +
  "`reprise cwl-runner --podman` only. Make the image there and load it on the server: reprise image load.";
const UNNAMED =
  "main: DockerRequirement names no image. Give `dockerPull`, or the `dockerImageId` of an image that is on the machine.";

describe("a document with an image", () => {
  const made = { dockerFile: "FROM scratch", dockerImageId: "made:1" };
  test.each<[string, object, string]>([
    ["that it requires", tool({ dockerPull: "any:1" }), REQUIRED],
    ["that it makes", tool(made, "hints"), MADE],
    ["without a name", tool({ dockerOutputDirectory: "/out" }), UNNAMED],
  ])("%s is created with a warning, and refused at its start", async (_, document, message) => {
    const payload = workflow(document);
    const url = `/api/workflows?workflow_name=w&${T(ada)}`;
    const created = await api.inject({ method: "POST", url, payload });
    const { workflow_id: id, validation_warnings: warnings } = created.json();
    expect([created.statusCode, warnings]).toEqual([201, [{ code: "image", path: "workflow", message }]]);
    const checked = await api.inject({ method: "POST", url: `/api/workflows/validate?${T(ada)}`, payload });
    expect(checked.json()).toMatchObject({ warnings });
    const reply = await changeStatus(api, ada, id as string, "start");
    expect(reply.statusCode).toBe(400);
    expect(reply.json().message).toContain(`could not be started. ${message}`);
  });

  test.each<[string, object]>([
    ["that it recommends", tool({ dockerPull: "any:1" }, "hints")],
    ["for which there is an environment", tool({ dockerPull: "mapped:1" })],
    ["that it makes, and that is there", tool({ ...made, dockerImageId: "there:1" }, "hints")],
  ])("%s starts without a word", async (_, document) => {
    backend.images.set("there:1", "sha256:1");
    const { id } = await createRun(api, ada, "fine", workflow(document));
    expect((await changeStatus(api, ada, id, "start")).statusCode).toBe(200);
    await changeStatus(api, ada, id, "stop");
  });
});

test("a packed document with a hint that is not known is created with a warning, and starts", async () => {
  const payload = workflow({ ...tool({ dockerPull: "mapped:1" }), hints: { Magic: {} } });
  const url = `/api/workflows?workflow_name=hinted&${T(ada)}`;
  const created = await api.inject({ method: "POST", url, payload });
  const { validation_warnings: warnings } = created.json();
  const message = expect.stringContaining("the hint `Magic` is not known. It is ignored.") as string;
  expect([created.statusCode, warnings]).toEqual([201, [{ code: "document", path: "workflow", message }]]);
  const checked = await api.inject({ method: "POST", url: `/api/workflows/validate?${T(ada)}`, payload });
  expect(checked.json()).toMatchObject({ valid: true, warnings });
  const started = await changeStatus(api, ada, created.json().workflow_id as string, "start");
  expect(started.json()).toMatchObject({ warning: message });
});

test("documents in the workspace are judged when the run starts", async () => {
  const run = await createRun(api, ada, "files", { inputs: {}, workflow: { type: "cwl", file: "main.cwl" } });
  const url = `/api/workflows/${run.id}/workspace?file_name=main.cwl&${T(ada)}`;
  const payload = JSON.stringify(tool({ dockerPull: "any:1" }));
  expect((await api.inject({ method: "POST", url, payload })).statusCode).toBe(200);
  const reply = await changeStatus(api, ada, run.id, "start");
  expect([reply.statusCode, reply.json().message]).toEqual([400, expect.stringContaining(REQUIRED)]);
});
