import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { apiFixture } from "../../support/api-fixture.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";
import {
  changeStatus,
  createRun,
  refusalRows,
  T,
  UNKNOWN_TOKEN,
  untilStatus,
} from "../../support/run-rows.ts";

/** Two runs side by side: our own endpoint, and REANA's texts. */
const api = await apiFixture();
afterAll(() => api.close());
const ada = await api.makeUser();

function analysis(commands: readonly (readonly string[])[], parameters: object): object {
  const steps = commands.map((all, index) => ({ name: `s${index}`, environment: "any", commands: all }));
  return { inputs: { parameters }, workflow: { type: "serial", specification: { steps } } };
}

const one = await createRun(api, ada, "one", analysis([["make", "check"], ["plot"]], { n: 1, same: "x" }));
const two = await createRun(
  api,
  ada,
  "two",
  analysis([["make", "check"], ["plot --big"]], { n: 2, same: "x" }),
);

async function workspaceOf(run: string): Promise<string> {
  const { db, workspaces } = api.operations;
  const ofRun = db.selectFrom("runs").select("workspace_id").where("id", "=", run);
  return workspaces.of((await ofRun.executeTakeFirstOrThrow()).workspace_id).folder;
}

async function put(run: string, files: Readonly<Record<string, string>>): Promise<void> {
  const folder = await workspaceOf(run);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
}

/** The first run finishes. The second run fails at its last command. */
async function carryOut(run: string, exits: readonly number[]): Promise<void> {
  const before = api.backend.started.length;
  await changeStatus(api, ada, run, "start");
  for (const [index, exitCode] of exits.entries()) {
    const id = await api.backend.startedJob(before + index);
    const usage = { cpuMs: 100 * (index + 1), peakBytes: 1000 * (index + 1) };
    api.backend.end(id, { exitCode, usage, startedAtMs: 10_000 * index, endedAtMs: 10_000 * index + 1500 });
  }
  await untilStatus(api, ada, run, exits.includes(3) ? "failed" : "finished");
}
await carryOut(one.id, [0, 0, 0]);
await carryOut(two.id, [0, 0, 3]);
await put(one.id, { "out/fit.txt": "a\nb\nc\n", "out/same": "x", gone: "12", "old/x": "1" });
await put(two.id, { "out/fit.txt": "a\nB\nc\n", "out/same": "x", "new/y": "12345" });

const deleted = await createRun(api, ada, "deleted");
await changeStatus(api, ada, deleted.id, "deleted");

const comparison = async (of: string, other: string, query = "") =>
  (await api.inject(`/api/workflows/${of}/comparison/${other}?${query}&${T(ada)}`)).json();

/** Both runs are closed to strangers, and a refusal names the run that does not exist. */
async function refusals(urlOf: (a: string, b: string) => string) {
  const rows = (await refusalRows(api, "GET", one, (address) => urlOf(address, two.id))).filter(
    (row) => row.status !== 404 || row.reply === UNKNOWN_TOKEN,
  );
  const turned = (await refusalRows(api, "GET", one, (address) => urlOf(two.id, address))).filter(
    (row) => row.status === 403 && row.name !== "a stranger, by UUID" && !row.name.includes("administrator"),
  );
  return [
    ...rows,
    ...turned.map((row) => ({ ...row, name: `${row.name}, as the second` })),
    {
      name: "none as the first",
      url: `${urlOf("none", "two")}?${T(ada)}`,
      status: 404,
      reply: "Workflow none does not exist.",
    },
    {
      name: "none as the second",
      url: `${urlOf("one", "no.7")}?${T(ada)}`,
      status: 404,
      reply: "Workflow no.7 does not exist.",
    },
    {
      name: "too much context",
      url: `${urlOf("one", "two")}?context_lines=1001&${T(ada)}`,
      status: 400,
      reply: "Field 'context_lines': must be <= 1000.",
    },
    {
      name: "a context that is not a number",
      url: `${urlOf("one", "two")}?context_lines=x&${T(ada)}`,
      status: 400,
      reply: "Field 'context_lines': must be integer.",
    },
  ];
}

describe("GET comparison", async () => {
  const urlOf = (a: string, b: string) => `/api/workflows/${a}/comparison/${b}`;
  const step = (fields: object) => ({
    jobs: 1,
    taken_over: 0,
    status: "finished",
    exit_code: 0,
    reason: "exited",
    wall_ms: 1500,
    cpu_ms: 300,
    peak_bytes: 3000,
    ...fields,
  });
  const first = step({ jobs: 2, wall_ms: 11_500, peak_bytes: 2000 });
  const file = (bytes: number) => ({ type: "file", bytes });
  const folder = { type: "folder", bytes: 0 };
  await runScenarios(api, [
    ...(await refusals(urlOf)),
    {
      name: "of two runs that differ in everything",
      url: `${urlOf("one", "two")}?context_lines=1&${T(ada)}`,
      status: 200,
      reply: {
        a: { id: one.id, name: "one.1", status: "finished", wall_ms: expect.any(Number), cpu_ms: 600 },
        b: { id: two.id, name: "two.1", status: "failed", wall_ms: expect.any(Number), cpu_ms: 600 },
        specification: [{ path: "workflow.specification.steps[1].commands[0]", a: "plot", b: "plot --big" }],
        parameters: [{ path: "n", a: 1, b: 2 }],
        steps: [
          { step: "s0", a: first, b: first },
          { step: "s1", a: step({}), b: step({ status: "failed", exit_code: 3 }) },
        ],
        files: {
          added: 1,
          removed: 2,
          changed: 1,
          unreadable: 0,
          same: 1,
          is_cut: false,
          differences: [
            { name: "gone", change: "removed", a: file(2), b: null, diff: null },
            { name: "new", change: "added", a: null, b: folder, diff: null },
            { name: "new/y", change: "added", a: null, b: file(5), diff: null },
            { name: "old", change: "removed", a: folder, b: null, diff: null },
            { name: "old/x", change: "removed", a: file(1), b: null, diff: null },
            {
              name: "out/fit.txt",
              change: "changed",
              a: file(6),
              b: file(6),
              diff: "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
            },
          ],
        },
        files_basis: "workspace",
        notes: [],
        files_missing: null,
      },
    },
  ]);

  test("of a run with itself", async () => {
    const reply = await comparison(one.id, "one.1");
    expect([reply.specification, reply.parameters, reply.files.differences]).toEqual([[], [], []]);
    expect(reply.files.same).toBe(4);
  });

  test("the differences of files are left out unless requested", async () => {
    const reply = await comparison("one", "two", "brief=true");
    expect(reply.files.differences.at(-1)).toMatchObject({ name: "out/fit.txt", diff: null });
    expect(await comparison("one", "two", "files=false")).toMatchObject({
      files: null,
      files_missing: "Not asked for.",
    });
  });

  test("of a run whose files are gone", async () => {
    expect(await comparison("one", deleted.id)).toMatchObject({
      b: { status: "deleted", wall_ms: null },
      parameters: [
        { path: "n", a: 1, b: null },
        { path: "same", a: "x", b: null },
      ],
      steps: [
        { step: "s0", b: null },
        { step: "s1", b: null },
      ],
      files: null,
      files_missing: "Workspace does not exist.",
    });
  });

  test("parameters given at a start count, and so do options", async () => {
    const three = await createRun(api, ada, "three", analysis([["make"]], { n: 1 }));
    await changeStatus(api, ada, three.id, "start", {
      input_parameters: { n: 5 },
      operational_options: { CACHE: "off" },
    });
    const { parameters, specification } = await comparison("one", three.id);
    expect(parameters).toContainEqual({ path: "n", a: 1, b: 5 });
    expect(specification).toContainEqual({ path: "operational_options.CACHE", a: null, b: "off" });
  });
});

describe("GET diff", async () => {
  const urlOf = (a: string, b: string) => `/api/workflows/${a}/diff/${b}`;
  await runScenarios(api, [
    ...(await refusals(urlOf)),
    {
      name: "of a run whose files are gone",
      url: `${urlOf("one", deleted.id)}?${T(ada)}`,
      status: 404,
      reply: "Workspace does not exist.",
    },
  ]);

  const texts = async (a: string, b: string, query = "") => {
    const reply = (await api.inject(`${urlOf(a, b)}?${query}&${T(ada)}`)).json<Record<string, string>>();
    return {
      specification: JSON.parse(reply["reana_specification"]!) as Record<string, string[]>,
      workspace: JSON.parse(reply["workspace_listing"]!) as string,
    };
  };

  test("texts in the form of diff", async () => {
    const { specification, workspace } = await texts("one", "two", "brief=false&context_lines=0");
    expect(specification["inputs"]).toEqual([
      "@@ -1,6 +1,6 @@",
      " {",
      '   "parameters": {',
      '-    "n": 1,',
      '+    "n": 2,',
      '     "same": "x"',
      "   }",
      " }",
    ]);
    expect(specification["workflow"]!.filter((line) => /^[-+]/.test(line))).toEqual([
      '-          "plot"',
      '+          "plot --big"',
    ]);
    expect(workspace.split("\n")).toEqual([
      "Only in one.1: gone",
      "Only in two.1: new",
      "Only in one.1: old",
      "diff -r --unified one.1/out/fit.txt two.1/out/fit.txt",
      "--- one.1/out/fit.txt",
      "+++ two.1/out/fit.txt",
      "@@ -2 +2 @@",
      "-b",
      "+B",
      "",
    ]);
    expect((await texts("one", "two", "brief=true")).workspace).toBe(
      "Only in one.1: gone\nOnly in two.1: new\nOnly in one.1: old\n" +
        "Files one.1/out/fit.txt and two.1/out/fit.txt differ\n",
    );
  });

  test("of a run with itself are empty", async () => {
    expect(await texts("one", "one")).toEqual({
      specification: { inputs: [], workflow: [] },
      workspace: "",
    });
  });

  test("no line is empty for a client that splits it as Python does, for any files", async () => {
    const [left, right] = [await createRun(api, ada, "left"), await createRun(api, ada, "right")];
    await put(left.id, { "a\n\nb": "x", odd: "\n\r\r\n\f\f\n\u2028\u2028\u0085\u0085\u001c\n" });
    await put(right.id, { odd: "\n" });
    const { workspace } = await texts("left", "right");
    const asPython = workspace.split(/\r\n|[\p{Cc}\u2028\u2029]/u);
    expect(asPython.filter((line) => line === "")).toEqual([""]);
    expect(workspace).toContain("Only in left.1: a␊␊b\n");
  });
});
