import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Engine } from "#engines/engine";
import type { Operations } from "#operations/operations";
import { createRun } from "#operations/runs/create/create-run";
import { startRun } from "#operations/runs/start/start-run";
import { Refusal } from "#plumbing/errors";
import { inProcessRuntime } from "#runner/engine/engine-runtime";
import { workerRuntime } from "#runner/engine/worker-runtime";
import { maybeRun, oneDefinition } from "#store/runs/runs";
import type { Server } from "#app/compose";
import { type FakeBackend, fakeBackend } from "../support/fakes/fake-backend.ts";
import { type RunFixture, runFixture } from "../support/run-fixture.ts";
import { surveyEngine } from "../support/engines/survey-engine.ts";
import { evaluateTiny } from "../support/engines/tiny-expressions.ts";

/** Tests how the documents of a workflow are collected before it starts. */

const SURVEY = { list: "list.txt", script: '["join","visit ",["get","item"]]', when: "false" };
const MODULE = new URL("./survey-module.ts", import.meta.url);

let backend: FakeBackend;
let fixture: RunFixture;
let server: Server;
let fetched: string[];
let web: Record<string, string>;

beforeEach(async () => {
  backend = fakeBackend();
  fixture = await runFixture(backend);
  fetched = [];
  web = {};
  const runtime = workerRuntime({ module: MODULE });
  server = fixture.server({ engines: [{ language: "cwl", readsDocuments: true, runtime }] });
});

afterEach(() => fixture.close());

const WEB: Operations["documents"] = {
  async fetch(address, maxBytes) {
    fetched.push(address);
    const text = web[address];
    if (text === undefined) throw new Refusal("malformed", `${address} could not be read: no answer.`);
    if (text.length > maxBytes) throw new Refusal("malformed", `${address} is too large.`);
    return text;
  },
};

interface Case {
  readonly files?: Readonly<Record<string, unknown>>;
  readonly from?: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/** Creates a run with the files and starts it. Returns the id of the run. */
async function start(
  { files = {}, from = "survey.json", parameters = {} }: Case,
  change: Partial<Operations> = {},
) {
  const operations = { ...server.operations, documents: WEB, ...change };
  const caller = { id: await fixture.addUser(), email: "ada@example.org", isAdmin: false };
  const document = { workflow: { type: "cwl", specification: { from } } };
  const { id } = await createRun(operations, caller, { name: "w", document });
  const { workspaceId } = (await maybeRun(fixture.db, id))!;
  for (const [name, content] of Object.entries({ "list.txt": "one\n", ...files })) {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    await fixture.workspaces.of(workspaceId).write(name, Readable.from([Buffer.from(text)]));
  }
  await startRun(operations, caller, { address: id, parameters, options: {} });
  return id;
}

const modelOf = async (id: string) => (await oneDefinition(fixture.db, id)).model;

describe("the documents of a workflow", () => {
  test("are collected one after the other, from the workspace and the web, and stored with the start", async () => {
    web["https://host.org/surveys/base.json"] = JSON.stringify({ extends: "../root.json", when: "true" });
    web["https://host.org/root.json"] = JSON.stringify(SURVEY);
    const id = await start({
      files: {
        "survey.json": { extends: "shared/more.json", when: "false" },
        "shared/more.json": { extends: "https://host.org/surveys/base.json#x" },
      },
    });
    expect(fetched).toEqual(["https://host.org/surveys/base.json", "https://host.org/root.json"]);
    expect(await modelOf(id)).toMatchObject(SURVEY);
  });

  test("are the basis of the run, which fetches no document", async () => {
    const { list, ...rest } = SURVEY;
    const id = await start({
      files: { "survey.json": { ...rest, parameters: { list } }, "other.txt": "two\n" },
      parameters: { list: "other.txt" },
    });
    const { workspaceId } = (await maybeRun(fixture.db, id))!;
    await fixture.workspaces.of(workspaceId).deleteFiles("survey.json");
    await server.start();
    await backend.startedJob(0);
    expect(backend.scripts).toEqual(["visit two"]);
  });

  test.each<[string, Case, string]>([
    [
      "a missing file",
      { files: { "survey.json": '{\n  "extends": "none.json"\n}' } },
      "survey.json, line 2, column 3: none.json is not in the workspace. Upload it, or list it under inputs.files.",
    ],
    [
      "a missing address",
      { from: "https://host.org/x.json" },
      "https://host.org/x.json could not be read: no answer.",
    ],
    [
      "a path that leads out of the workspace",
      { files: { "survey.json": '{"extends": "../x.json"}' } },
      'survey.json, line 1, column 2: "../x.json" leads out of the workspace.',
    ],
    [
      "a mistake",
      { files: { "survey.json": '{\n  "list": oops\n}' } },
      "survey.json, line 2, column 11: expected a value.",
    ],
    [
      "a circle",
      { files: { "survey.json": { extends: "b.json" }, "b.json": { extends: "survey.json" } } },
      "b.json, line 1, column 2: survey.json extends itself.",
    ],
    [
      "a parameter that no document declares",
      { files: { "survey.json": SURVEY }, parameters: { x: 1 } },
      'survey.json: there is no parameter "x".',
    ],
    [
      "more than 16 MiB",
      { files: { "survey.json": JSON.stringify({ pad: "x".repeat(2 ** 24) }) } },
      "survey.json: The documents of the workflow are larger than 16 MiB together.",
    ],
  ])("that hold %s refuse the start, and say where", async (_name, given, sentence) => {
    await expect(start(given)).rejects.toMatchObject({
      kind: "malformed",
      message: `Workflow w.1 could not be started. ${sentence}`,
    });
  });

  test("are at most 1,000", async () => {
    for (let n = 1; n <= 1000; n += 1) web[`https://host.org/${n}`] = JSON.stringify({ extends: `${n + 1}` });
    const engine: Engine = {
      ...surveyEngine,
      prepare: (_request, documents) => {
        const location = `https://host.org/${Object.keys(documents).length + 1}`;
        return { kind: "needs", documents: [{ location, named: { path: "" } }] };
      },
    };
    const runtime = inProcessRuntime(engine, evaluateTiny);
    const engines = new Map([["cwl", { runtime, readsDocuments: true }]] as const);
    await expect(start({}, { engines })).rejects.toThrow("The workflow has more than 1000 documents.");
  });

  test("must be read in time: an address that stays silent is named", async () => {
    let passTime = () => {};
    const clock = {
      ...server.operations.clock,
      after: (_ms: number, work: () => void) => {
        passTime = work;
        return () => {};
      },
    };
    const documents: Operations["documents"] = {
      fetch: (_address, _maxBytes, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
          passTime();
        }),
    };
    const files = { "survey.json": '{\n  "extends": "https://host.org/x?token=s3cret"\n}' };
    await expect(start({ files }, { documents, clock })).rejects.toMatchObject({
      kind: "malformed",
      message:
        "Workflow w.1 could not be started. survey.json, line 2, column 3: https://host.org/x could not be read within " +
        "30 s. Try again, or put a copy of the document into the workspace.",
    });
  });
});
