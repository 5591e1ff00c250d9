import { readdir } from "node:fs/promises";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { checkDocument } from "#operations/runs/create/create-run";
import type { LanguageSet } from "#workflow/capabilities";
import { apiFixture } from "../../support/api-fixture.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";
import { createRun, serial, T, UNKNOWN_TOKEN } from "../../support/run-rows.ts";

const api = await apiFixture();
afterAll(() => api.close());
const ada = await api.makeUser();
const here = `/api/workflows?${T(ada)}`;
const post = { method: "POST", url: here } as const;
const snakemake = { inputs: {}, workflow: { type: "snakemake", file: "Snakefile" } };
const created = (name: unknown, more: object = {}) => ({
  message: "Workflow workspace created",
  workflow_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  workflow_name: name,
  ...more,
});
const refused = (reason: string) => `The specification is malformed${reason}`;

describe("POST /api/workflows", async () => {
  await runScenarios(api, [
    { name: "nobody", method: "POST", url: "/api/workflows", body: serial(["true"]), status: 401 },
    {
      name: "a wrong token",
      method: "POST",
      url: "/api/workflows?access_token=no",
      body: serial(["true"]),
      status: 404,
      reply: UNKNOWN_TOKEN,
    },
    { name: "neither specification nor repository", ...post, status: 400 },
    { name: "nor with an empty spec", ...post, url: `${here}&spec=`, status: 400 },
    { name: "not JSON", ...post, body: "{", headers: { "content-type": "application/json" }, status: 400 },
    { name: "not an object", ...post, body: [], status: 400, reply: refused(": [] is not of type 'object'") },
    {
      name: "no workflow",
      ...post,
      body: {},
      status: 400,
      reply: refused(": 'workflow' is a required property"),
    },
    {
      name: "no type",
      ...post,
      body: { workflow: {} },
      status: 400,
      reply: refused(" at workflow: 'type' is a required property"),
    },
    {
      name: "an unknown type",
      ...post,
      body: { workflow: { type: "nextflow" } },
      status: 400,
      reply: refused(" at workflow.type: 'nextflow' is not one of ['cwl', 'serial', 'yadage', 'snakemake']"),
    },
    {
      name: "commands that are no texts",
      ...post,
      body: { workflow: { type: "serial", specification: { steps: [{ commands: [1] }] } } },
      status: 400,
      reply: refused(" at workflow.specification.steps.0.commands.0: 1 is not of type 'string'"),
    },
    {
      name: "an input path that leads out",
      ...post,
      body: { ...serial(["true"]), inputs: { files: ["../x"] } },
      status: 400,
      reply: refused(" at inputs.files.0: Input path cannot contain '..': ../x"),
    },
    {
      name: "a name that is a UUID",
      ...post,
      url: `${here}&workflow_name=e3b0c442-98fc-4c14-9afb-f4c8996fb924`,
      body: serial(["true"]),
      status: 400,
      reply: "Workflow name cannot be a valid UUIDv4.",
    },
    {
      name: "a name with a dot",
      ...post,
      url: `${here}&workflow_name=a.b`,
      body: serial(["true"]),
      status: 400,
      reply: 'Workflow name a.b contains illegal character "."',
    },
    {
      name: "a repository and a specification",
      ...post,
      url: `${here}&spec=https://example.org/a.git`,
      body: serial(["true"]),
      status: 400,
    },
    {
      name: "a repository on a host that is not allowed",
      ...post,
      url: `${here}&spec=http://example.org/a.git`,
      body: {},
      status: 501,
    },
    {
      name: "a serial workflow",
      ...post,
      url: `${here}&workflow_name=w`,
      body: serial(["true"]),
      status: 201,
      reply: created("w.1"),
    },
    {
      name: "the next run of the same name",
      ...post,
      url: `${here}&workflow_name=w`,
      body: serial(["true"]),
      status: 201,
      reply: created("w.2"),
    },
    {
      name: "without a name it is a run of workflow",
      ...post,
      body: serial(["true"]),
      status: 201,
      reply: created("workflow.1"),
    },
    {
      name: "and with an empty name",
      ...post,
      url: `${here}&workflow_name=`,
      body: serial(["true"]),
      status: 201,
      reply: created("workflow.2"),
    },
    {
      name: "JSON under another content type",
      ...post,
      url: `${here}&workflow_name=other`,
      body: JSON.stringify(serial(["true"])),
      headers: { "content-type": "text/plain" },
      status: 201,
      reply: created("other.1"),
    },
    {
      name: "the first clients' workflow.spec",
      ...post,
      url: `${here}&workflow_name=old`,
      body: {
        inputs: {},
        workflow: { type: "serial", spec: { steps: [{ environment: "a", commands: ["b"] }] } },
      },
      status: 201,
      reply: created("old.1"),
    },
    {
      name: "what REANA would note comes back as warnings",
      ...post,
      url: `${here}&workflow_name=odd`,
      body: { inputs: {}, workflow: { type: "serial", specification: { steps: [{ commands: ["b"] }] } } },
      status: 201,
      reply: created("odd.1", {
        validation_warnings: [
          {
            code: "schema",
            path: "workflow.specification.steps.0",
            message: "'environment' is a required property",
          },
        ],
      }),
    },
    {
      name: "a language that this server cannot run",
      ...post,
      url: `${here}&workflow_name=c`,
      body: snakemake,
      status: 201,
      reply: created("c.1", {
        validation_warnings: [
          {
            code: "workflow_type",
            path: "workflow.type",
            message:
              "This server cannot run snakemake workflows (it runs: serial, cwl, yadage): a start will be refused.",
          },
        ],
      }),
    },
  ]);
});

describe("run numbers", () => {
  test("differ for 32 concurrent creations", async () => {
    const url = `/api/workflows?workflow_name=many&${T(ada)}`;
    const replies = await Promise.all(
      Array.from({ length: 32 }, () => api.inject({ method: "POST", url, payload: serial(["true"]) })),
    );
    const names = replies.map((reply) => reply.json<{ workflow_name: string }>().workflow_name);
    const numbers = names.map((name) => Number(name.slice("many.".length))).toSorted((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 32 }, (_, index) => index + 1));
  });

  test("are each user's own", async () => {
    expect((await createRun(api, await api.makeUser(), "many")).name).toBe("many.1");
  });

  test("are given without writing to the disk", async () => {
    const root = path.dirname(api.operations.workspaces.of("any").folder);
    expect(await readdir(root)).toEqual([]);
  });
});

test("a creation looks only for the needs of the workflow's language on the machine", () => {
  const languages: LanguageSet = {
    has: (language) => language === "serial",
    [Symbol.iterator]: () => expect.unreachable("No other language matters."),
  };
  const capabilities = { languages, backends: [] };
  expect(checkDocument({ capabilities }, { document: serial(["true"]) }).warnings).toEqual([]);
});
