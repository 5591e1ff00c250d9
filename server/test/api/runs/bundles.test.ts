import { readdir } from "node:fs/promises";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { oneDefinition } from "#store/runs/runs";
import { apiFixture } from "../../support/api-fixture.ts";
import { makeForm, makeZip, type MadeEntry } from "../files/make-zip.ts";
import { reanaCheck } from "../../support/reana-schemas.ts";
import { changeStatus, createRun, refusalRows, serial, T, untilStatus } from "../../support/run-rows.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";
import { workspaceClient } from "../../support/workspace-client.ts";

/** Specifications as sent by REANA's newer client. */
const api = await apiFixture();
afterAll(() => api.close());
const { db, workspaces } = api.operations;
const ada = await api.makeUser();
const { get } = workspaceClient(api, ada);
const conforms = reanaCheck();
const incoming = path.join(workspaces.root, "..", "incoming");

const YAML = `version: 0.9.4
inputs: {files: [code/a.py], parameters: {n: 3}}
workflow: {type: serial, specification: {steps: [{environment: 'debian:12', commands: ['echo \${n}']}]}}
`;
const SNAKEMAKE =
  "inputs: {parameters: {input: job.yml}}\nworkflow: {type: snakemake, file: ./wf/Snakefile}\n";
const specification: MadeEntry = { name: "reana.yaml", content: YAML };

const send = (
  address: string,
  parts: Parameters<typeof makeForm>[0],
  headers: Record<string, string> = {},
) => {
  const form = makeForm(parts);
  const url = `/api/workflows${address}${address.includes("?") ? "&" : "?"}${T(ada)}`;
  return api.inject({ method: "POST", url, payload: form.payload, headers: { ...form.headers, ...headers } });
};
const create = (entries: readonly MadeEntry[], name = "fit") =>
  send(`?workflow_name=${name}`, { bundle: makeZip(entries) });
const rowsOfWorkspaces = async () => (await db.selectFrom("workspaces").select("id").execute()).length;
const traces = async () => [
  await rowsOfWorkspaces(),
  await readdir(workspaces.root),
  await readdir(incoming),
];

describe("POST /api/workflows with a bundle", () => {
  test("makes a workflow, with all its files in the workspace as they came", async () => {
    const reply = await create([
      specification,
      { name: "code/", mode: 0o040_755 },
      { name: "code/a.py", content: "print(1)\n".repeat(10_000), isDeflated: true },
      { name: "empty" },
    ]);
    const body = reply.json();
    expect([reply.statusCode, body]).toEqual([
      201,
      {
        message: "Workflow workspace created",
        workflow_id: expect.any(String),
        workflow_name: "fit.1",
      },
    ]);
    conforms("POST", "/api/workflows", reply);
    const run = { id: body.workflow_id, name: "fit.1" };
    expect((await get(run, "reana.yaml")).body).toBe(YAML);
    expect((await get(run, "code/a.py")).body).toBe("print(1)\n".repeat(10_000));
    expect((await get(run, "empty")).body).toBe("");
    expect(await readdir(incoming)).toEqual([]);
    await changeStatus(api, ada, run.id, "start");
    await expect.poll(() => api.backend.scripts.at(-1)).toBe("echo 3");
  });

  test("of a language without an engine is kept whole, and its main file must be there", async () => {
    const files = [
      { name: "reana.yaml", content: SNAKEMAKE },
      { name: "wf/Snakefile", content: "rule all:\n" },
    ];
    const reply = await create(files, "snakemake");
    expect([reply.statusCode, reply.json().validation_warnings]).toEqual([
      201,
      [expect.objectContaining({ code: "workflow_type" })],
    ]);
    const run = { id: reply.json().workflow_id, name: "snakemake.1" };
    expect((await get(run, "wf/Snakefile")).body).toBe("rule all:\n");
    const definition = await oneDefinition(db, run.id);
    expect(definition.specification.workflow).toEqual({ type: "snakemake", file: "./wf/Snakefile" });
    expect((await changeStatus(api, ada, run.id, "start")).statusCode).toBe(501);
    expect((await create(files.slice(0, 1))).json().message).toBe(
      "The specification is malformed at workflow.file: ./wf/Snakefile is not in the bundle.",
    );
  });

  const file = (name: string, more: Partial<MadeEntry> = {}) => [
    specification,
    { name, content: "x", ...more },
  ];
  const zeros = Buffer.alloc(60 * 2 ** 20);
  test.each<[string, readonly MadeEntry[], string | RegExp, number?]>([
    ["without reana.yaml", [{ name: "sub/reana.yaml" }], "it has no reana.yaml at its top"],
    ["whose reana.yaml is no YAML", [{ name: "reana.yaml", content: "a: [" }], /reana\.yaml/],
    [
      "that is malformed",
      [{ name: "reana.yaml", content: "workflow: {type: x}" }],
      /is malformed at workflow\.type \(reana\.yaml, line 1, column 12\): /,
    ],
    ["with a path upwards", file("../x"), '"../x" is no plain path inside it'],
    ["with one inside", file("a/../../x"), '"a/../../x" is no plain path inside it'],
    ["with an absolute path", file("/etc/x"), '"/etc/x" is an absolute path'],
    ["with a Windows path", file("C:x"), '"C:x" is an absolute path'],
    ["with backslashes", file("a\\b"), '"a\\\\b" holds a backslash or a NUL'],
    ["with a NUL", file("a\0b"), /holds a backslash or a NUL/],
    ["with an empty part", file("a//b"), '"a//b" is no plain path inside it'],
    ["with a link", file("l", { mode: 0o120_777 }), '"l" is a symbolic link'],
    ["with a device", file("d", { mode: 0o020_666 }), '"d" is neither a file nor a folder'],
    ["with a name that is no text", file("", { name: Buffer.from([0xff]) }), /not UTF-8/],
    ["that is too deep", file(`${"a/".repeat(64)}x`), /is nested deeper than 64 folders/],
    ["with a long path", file("a".repeat(4097)), /longer than 4096 bytes/],
    ["with one name twice", [specification, specification], "it holds two files of the same name"],
    [
      "with a file as a folder",
      [...file("a"), { name: "a/b" }],
      '"a/b" is inside something that is also a file',
    ],
    [
      "with a folder of a file's name",
      [...file("a"), { name: "a/", mode: 0o040_755 }],
      '"a" is a file and a folder',
    ],
    [
      "with a link to outside and a file behind it",
      [...file("l", { content: "/etc", mode: 0o120_777 }), { name: "l/passwd" }],
      '"l" is a symbolic link',
    ],
    [
      "with a name in another encoding",
      file("", { name: Buffer.from("caf\u00e9", "latin1"), flags: 0 }),
      /not UTF-8/,
    ],
    ["with 1001 files", Array.from({ length: 1001 }, (_, n) => ({ name: `f${n}` })), /more than 1000 files/],
    [
      "with endless entries",
      Array.from({ length: 3001 }, (_, n) => ({ name: `f${n}/` })),
      /more than 3000 entries/,
    ],
    ["that is encrypted", file("a", { flags: 1 }), /"a" is encrypted/],
    ["packed in another way", file("a", { method: 12 }), /packed in an unknown way/],
    [
      "whose files are one and the same",
      [
        specification,
        ...["a", "b", "c"].map((name, at) => ({ name, content: "x".repeat(1000), isAgain: at > 0 })),
      ],
      /its entries overlap/,
    ],
    ["that is damaged", file("a", { saysCrc: 1 }), /"a" is damaged/],
    [
      "that is larger than it says",
      file("a", { content: zeros, isDeflated: true, saysBytes: 10 }),
      /larger than it says/,
    ],
    [
      "that unpacks to too much",
      [specification, ...["a", "b"].map((name) => ({ name, content: zeros, isDeflated: true }))],
      /larger than 104857600 bytes/,
      413,
    ],
    [
      "of a few bytes that says it holds 4 GB",
      file("a", { content: zeros.subarray(0, 42 << 10), isDeflated: true, saysBytes: 0xffff_ffff }),
      /larger than 104857600 bytes/,
      413,
    ],
    ["whose content is no deflate", file("a", { method: 8, saysBytes: 5 }), /damaged/],
  ])("%s is refused, and leaves nothing", async (_name, entries, sentence, status = 400) => {
    const before = await traces();
    const reply = await create(entries);
    const message =
      typeof sentence === "string" ? expect.stringContaining(sentence) : expect.stringMatching(sentence);
    expect([reply.statusCode, reply.json()]).toEqual([status, { message, code: expect.any(String) }]);
    expect(await traces()).toEqual(before);
  });

  /** A zip whose header claims 0xffff entries, Zip64's mark for a number of more than 16 bits. */
  const million = makeZip([specification]);
  million.writeUInt16LE(0xffff, million.length - 12);

  test.each<[string, Parameters<typeof makeForm>[0], RegExp]>([
    ["a million entries", { bundle: million }, /more than 3000 entries/],
    ["no part", {}, /holds no bundle/],
    ["another part", { file: Buffer.from("x") }, /part "file", which is not expected/],
    [
      "another part before the bundle",
      { file: Buffer.from("x"), bundle: makeZip([specification]) },
      /part "file", which is not expected/,
    ],
    ["a text that is no zip", { bundle: "hello" }, /no end of a zip/],
    ["an empty one", { bundle: "" }, /no end of a zip/],
    ["a cut one", { bundle: makeZip([specification]).subarray(20) }, /not a zip that can be read/],
  ])("a form with %s is refused", async (_name, parts, sentence) => {
    const before = await traces();
    const reply = await send("", parts);
    expect([reply.statusCode, reply.json()]).toEqual([
      400,
      { message: expect.stringMatching(sentence), code: expect.any(String) },
    ]);
    expect(await traces()).toEqual(before);
  });

  test("a form that is cut short creates nothing, although the zip was whole", async () => {
    const before = await traces();
    const form = makeForm({ bundle: makeZip([specification]) }, true);
    const url = `/api/workflows?${T(ada)}`;
    expect((await api.inject({ method: "POST", url, ...form })).statusCode).toBe(400);
    expect(await traces()).toEqual(before);
  });

  test("is created once for a key", async () => {
    const once = () =>
      send("?workflow_name=once", { bundle: makeZip([specification]) }, { "idempotency-key": "k" });
    const [first, second] = [await once(), await once()];
    expect(second.json()).toEqual(first.json());
    expect(second.headers["idempotency-replayed"]).toBe("true");
  });

  test("may not come with an address", async () => {
    const reply = await send("?spec=https://example.org/a", { bundle: makeZip([specification]) });
    expect(reply.statusCode).toBe(400);
  });
});

describe("POST /api/workflows/validate with a specification as JSON", () => {
  const validate = async (payload: string | object) =>
    (await api.inject({ method: "POST", url: `/api/workflows/validate?${T(ada)}`, payload })).json<object>();
  const steps = [{ environment: "any:1", commands: ["true"] }];
  const workflow = { type: "serial", specification: { steps } };

  test("reports the same as for a bundle", async () => {
    expect(await validate({ inputs: {}, workflow })).toEqual({ valid: true, errors: [], warnings: [] });
    expect(await validate({ workflow: { ...workflow, type: "dance" } })).toEqual({
      valid: false,
      errors: [{ code: "schema", path: "workflow.type", message: expect.any(String) }],
      warnings: [],
    });
  });

  test("a user below the minimum is one error, and a warning when the run is created", async () => {
    const low = steps.map((step) => ({ ...step, kubernetes_uid: 50 }));
    const document = { inputs: {}, workflow: { ...workflow, specification: { steps: low } } };
    const place = "workflow.specification.steps.0.kubernetes_uid";
    expect(await validate(document)).toMatchObject({ errors: [{ path: place }], warnings: [] });
    const created = await api.inject({ method: "POST", url: `/api/workflows?${T(ada)}`, payload: document });
    expect(created.json()).toMatchObject({ validation_warnings: [{ code: "demand", path: place }] });
  });

  test.each(["[]", "42", '"text"'])("%s is no specification", async (body) => {
    expect(await validate(body)).toMatchObject({ valid: false, warnings: [] });
  });
});

describe("POST /api/workflows/validate", () => {
  const validate = async (content: string, query = "") => {
    const reply = await send(`/validate${query}`, { bundle: makeZip([{ name: "reana.yaml", content }]) });
    expect([reply.statusCode, reply.body]).toEqual([200, expect.any(String)]);
    conforms("POST", "/api/workflows/validate", reply);
    return reply.json();
  };

  test("a valid specification, with the environments of its steps; nothing is created", async () => {
    const before = await traces();
    expect(await validate(YAML)).toEqual({ valid: true, errors: [], warnings: [] });
    expect(await validate(YAML, "?environments=true")).toEqual({
      valid: true,
      errors: [],
      warnings: [],
      environments: [{ image: "debian:12", runtime_uid: 1000, runtime_gid: 0 }],
      environments_truncated: false,
    });
    expect(await traces()).toEqual(before);
  });

  test.each([
    ["workflow: {type: nextflow, file: a}", "schema", "workflow.type", /is not one of/],
    ["inputs: {}", "schema", "", /'workflow' is a required property/],
    [
      "inputs: {files: [/a]}\nworkflow: {type: cwl, file: reana.yaml}",
      "input_path",
      "inputs.files.0",
      /absolute/,
    ],
    ["workflow: {type: cwl, file: no.cwl}", "schema", "workflow.file", /not in the bundle/],
    ["a: [", "serialization", "", /reana\.yaml/],
    // REANA refuses the specification, but Reprise can run it.
    [
      "inputs: {}\nworkflow: {type: serial, specification: {steps: [{commands: [a]}]}}",
      "schema",
      "workflow.specification.steps.0",
      /'environment' is a required property/,
    ],
    [
      `${YAML}workspace: {retention_days: {/a: 1}}`,
      "retention",
      "workspace.retention_days./a",
      /cannot be an absolute path/,
    ],
  ])("faults: %s", async (content, code, at, message) => {
    expect(await validate(content)).toEqual({
      valid: false,
      errors: [{ code, path: at, message: expect.stringMatching(message) }],
      warnings: [],
    });
  });

  test.each([
    ["echo $(date)", /^Command 1 of step 1 \("s"\) holds an invalid placeholder at line 1, column 6: /],
    ["echo $i", /^Command 1 of step 1 \("s"\) uses the parameter "i", which is not defined\./],
  ])("refused as at a start: %s", async (command, message) => {
    const content = `workflow: {type: serial, specification: {steps: [{name: s, environment: e, commands: ["${command}"]}]}}`;
    const { valid, errors } = await validate(content);
    expect([valid, errors]).toEqual([
      false,
      [
        {
          code: "start",
          path: "workflow.specification.steps.0.commands.0",
          message: expect.stringMatching(message),
        },
      ],
    ]);
  });

  test("oddities are warnings", async () => {
    const { valid, warnings } = await validate(`${YAML}mood: good\n`);
    expect([valid, warnings]).toEqual([true, [expect.objectContaining({ code: "additional_properties" })]]);
  });

  test("an invalid bundle gives no report", async () => {
    expect((await send("/validate", { bundle: "x" })).statusCode).toBe(400);
    const reply = await api.inject({ method: "POST", url: `/api/workflows/validate?${T(ada)}` });
    expect(reply.json()).toEqual({
      message: expect.stringMatching(/^No specification was sent: send reana.yaml/),
      code: "malformed",
    });
    expect((await api.inject({ method: "POST", url: `/api/workflows/validate?${T(ada)}` })).statusCode).toBe(
      400,
    );
  });
});

describe("POST restart", async () => {
  const run = await createRun(api, ada, "again", serial(["one ${n}"], { n: 1 }));
  const index = api.backend.started.length;
  await changeStatus(api, ada, run.id, "start");
  api.backend.end(await api.backend.startedJob(index));
  await untilStatus(api, ada, run.id, "finished");
  await runScenarios(
    api,
    await refusalRows(api, "POST", run, (address) => `/api/workflows/${address}/restart`),
  );
  const restart = (parts: Parameters<typeof makeForm>[0]) => send(`/${run.id}/restart`, parts);

  test.each<[string, Parameters<typeof makeForm>[0], RegExp]>([
    ["parameters that are no JSON", { parameters: "{" }, /JSON/],
    ["parameters of another kind", { parameters: '{"input_parameters": 1}' }, /must be JSON text/],
    ["an unknown parameter of the start", { parameters: '{"input_parameter": {}}' }, /and nothing else/],
    ["a specification that is none", { replacement: Buffer.from("a: 1") }, /is malformed/],
    ["parameters that are not declared", { parameters: '{"input_parameters": {"x": 1}}' }, /not present/],
    ["another part", { other: "x" }, /not expected/],
  ])("%s: refused", async (_name, parts, sentence) => {
    const reply = await restart(parts);
    expect([reply.statusCode, reply.json()]).toEqual([
      400,
      { message: expect.stringMatching(sentence), code: expect.any(String) },
    ]);
  });

  test("with another specification and parameters", async () => {
    const next = api.backend.started.length;
    const reply = await restart({
      parameters: '{"input_parameters": {"n": 7}, "operational_options": {}}',
      replacement: Buffer.from(YAML),
    });
    expect([reply.statusCode, reply.json()]).toEqual([
      200,
      {
        message: "Workflow submitted.",
        workflow_id: expect.any(String),
        workflow_name: "again",
        run_number: "1.1",
        status: "queued",
        user: ada.id,
        // The finished run's results lie where the restart writes its own.
        warning: expect.any(String),
      },
    ]);
    conforms("POST", "/api/workflows/{workflow_id_or_name}/restart", reply);
    await api.backend.startedJob(next);
    expect(api.backend.scripts[next]).toBe("echo 7");
  });
});
