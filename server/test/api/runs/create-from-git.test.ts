import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { createRunFromGit } from "#operations/runs/create/create-run-from-git";
import { finishRemovals } from "#operations/files/finish-removals";
import { openGitSource } from "#sources/git-source";
import { moveRun as moveStatus } from "#store/runs/move-run";
import { reserveWorkspace } from "#store/workspaces/workspaces";
import { apiFixture } from "../../support/api-fixture.ts";
import { Dice } from "../../simulation/dice.ts";
import { faultyStore } from "../../support/fakes/faulty-store.ts";
import { startGitHttpServer } from "../../files/git-http-server.ts";
import { reanaCheck } from "../../support/reana-schemas.ts";
import { createRun, statusOf, T } from "../../support/run-rows.ts";
import { workspaceClient } from "../../support/workspace-client.ts";
import { withVerbs } from "../../support/fakes/with-verbs.ts";

const unexpected = (workspaceId: string, error: unknown) => {
  throw new Error(`The workspace ${workspaceId} could not be removed.`, { cause: error });
};

const temporary = await mkdtemp(path.join(os.tmpdir(), "reprise-create-"));
const server = await startGitHttpServer();
const git = openGitSource({
  httpHosts: ["127.0.0.1"],
  privateHosts: ["127.0.0.1"],
  maxBytes: 1_000_000,
  maxFiles: 50,
  timeoutMs: 8000,
  tempFolder: temporary,
});
const api = await apiFixture({ parts: { git } });
const { db, workspaces, clock, random } = api.operations;
const ada = await api.makeUser();
const { put, get, folderOf } = workspaceClient(api, ada);
const root = path.dirname(workspaces.of("any").folder);

afterAll(async () => {
  await api.close();
  await server.close();
  await rm(temporary, { recursive: true, force: true });
});

const create = (spec: string, name = "fromgit") =>
  api.inject({
    method: "POST",
    url: `/api/workflows?workflow_name=${name}&spec=${encodeURIComponent(spec)}&${T(ada)}`,
  });
const conforms = reanaCheck();
const foldersLeft = () => readdir(root);
const rowsOfWorkspaces = async () => (await db.selectFrom("workspaces").select("id").execute()).length;

describe("POST /api/workflows?spec=", () => {
  test("makes a workflow of a repository, with its files in the workspace", async () => {
    const repository = await server.addRepository("good", {
      "reana.yaml":
        "inputs: {files: [code/a.py], parameters: {n: 3}}\nworkflow: {type: serial, specification: {steps: [{environment: any, commands: ['echo ${n}']}]}}\n",
      "code/a.py": "print(1)\n",
    });
    const reply = await create(repository.url);
    expect([reply.statusCode, reply.json()]).toEqual([
      201,
      {
        message: "Workflow workspace created",
        workflow_id: expect.any(String),
        workflow_name: "fromgit.1",
      },
    ]);
    const run = { id: reply.json<{ workflow_id: string }>().workflow_id, name: "fromgit.1" };
    expect((await get(run, "code/a.py")).body).toBe("print(1)\n");
    expect((await get(run, "reana.yaml")).statusCode).toBe(200);
    const listed = await api.inject({ url: `/api/workflows?${T(ada)}` });
    expect(listed.json()).toMatchObject([{ name: "fromgit.1", launcher_url: repository.url }]);
  });

  test("of a refused repository leaves no file", async () => {
    const before = [await foldersLeft(), await rowsOfWorkspaces()];
    const malformed = await server.addRepository("malformed", {
      "reana.yaml": "workflow: {type: nextflow}\n",
    });
    const notYaml = await server.addRepository("not-yaml", { "reana.yaml": "workflow: {type: [\n" });
    const empty = await server.addRepository("empty", { "README.md": "nothing\n" });
    for (const { url } of [malformed, notYaml, empty]) {
      const reply = await create(url);
      expect([reply.statusCode, reply.json()]).toEqual([
        400,
        { message: expect.stringMatching(/\S{3}/), code: expect.any(String) },
      ]);
    }
    expect((await create(`${server.url}/none.git`)).statusCode).toBe(400);
    expect((await create("ftp://example.org/a.git")).statusCode).toBe(501);
    expect((await create(malformed.url, "a.b")).json()).toEqual({
      message: 'Workflow name a.b contains illegal character "."',
      code: "malformed",
    });
    expect([await foldersLeft(), await rowsOfWorkspaces()]).toEqual(before);
  });
});

describe("POST /api/launch", () => {
  const launch = (payload: object) => api.inject({ method: "POST", url: `/api/launch?${T(ada)}`, payload });
  const analysis =
    "inputs: {parameters: {n: 3}}\nmood: good\nworkflow: {type: serial, specification: {steps: [{environment: any, commands: ['echo ${n}']}]}}\n";

  test("makes a workflow and starts it, with parameters and from another place", async () => {
    const { url } = await server.addRepository("launched", { "sub/other.yaml": analysis });
    const reply = await launch({ url, name: "fly", parameters: '{"n": 4}', specification: "sub/other.yaml" });
    expect([reply.statusCode, reply.json()]).toEqual([
      200,
      {
        message: "The workflow has been successfully submitted.",
        workflow_id: expect.any(String),
        workflow_name: "fly",
        validation_warnings: { additional_properties: [expect.stringContaining("mood")] },
      },
    ]);
    conforms("POST", "/api/launch", reply);
    await expect.poll(() => api.backend.scripts.at(-1)).toBe("echo 4");
  });

  test("a repeated request with an equal key launches a single workflow, with an equal reply", async () => {
    const { url } = await server.addRepository("twice", { "reana.yaml": analysis });
    const send = () =>
      api.inject({
        method: "POST",
        url: `/api/launch?${T(ada)}`,
        headers: { "idempotency-key": "launched-twice" },
        payload: { url, name: "twice" },
      });
    const [first, second] = [await send(), await send()];
    expect([first.statusCode, first.json()]).toEqual([
      200,
      expect.objectContaining({ workflow_name: "twice" }),
    ]);
    expect([second.statusCode, second.body]).toEqual([first.statusCode, first.body]);
    expect(second.headers["idempotency-replayed"]).toBe("true");
    const listed = await api.inject(`/api/workflows?workflow_id_or_name=twice&page=1&${T(ada)}`);
    expect(listed.json()).toMatchObject({ total: 1 });
  });

  test("a run that cannot be started is not created either", async () => {
    const { url } = await server.addRepository("refused", { "reana.yaml": analysis });
    const before = [await foldersLeft(), await rowsOfWorkspaces()];
    const refusals = [
      [{ url, parameters: "{" }, 400, "The workflow 'parameters' field is not valid JSON."],
      [{ url, parameters: "[1]" }, 400, "The workflow 'parameters' field is not valid JSON."],
      [{ url, parameters: '{"m": 1}' }, 400, 'Input parameter "m" is not present in reana.yaml'],
      [{ url: "ftp://example.org/a.git" }, 400, expect.any(String)],
      [{ name: "x" }, 400, expect.stringContaining("url")],
    ] as const;
    for (const [payload, status, message] of refusals) {
      const reply = await launch(payload);
      expect([reply.statusCode, reply.json()]).toEqual([status, { message, code: expect.any(String) }]);
    }
    expect([await foldersLeft(), await rowsOfWorkspaces()]).toEqual(before);
  });
});

test("a workflow that was created and then reported as failed keeps all files", async () => {
  const { url } = await server.addRepository("in-doubt", {
    "reana.yaml": "workflow: {type: serial, specification: {steps: []}}\n",
  });
  const dice = new Dice(1, "in doubt");
  const { db: inDoubt } = faultyStore(db, { dice, rate: 0.5, slowMs: 0 });
  // The reservation is sound and quick. The next transaction is committed, but reported as failed.
  vi.spyOn(dice, "chance")
    .mockReturnValue(false)
    .mockReturnValueOnce(false)
    .mockReturnValueOnce(false)
    .mockReturnValueOnce(true);
  vi.spyOn(dice, "pick").mockReturnValue("applied");
  const input = { name: "in-doubt", address: url };
  const creating = createRunFromGit({ ...api.operations, db: inDoubt }, { ...ada, isAdmin: false }, input);
  await expect(creating).rejects.toThrow("did not answer in time");
  expect((await get({ id: "in-doubt", name: "in-doubt" }, "reana.yaml")).statusCode).toBe(200);
});

describe("the remains of a dead server are removed by the next one", () => {
  test("files of a deleted run", async () => {
    const run = await createRun(api, ada, "halfway");
    await put(run, "a.txt", "a");
    const folder = await folderOf(run);
    await moveStatus(db, { runId: run.id, to: "deleted", by: "user", atMs: 1 });
    expect(existsSync(folder)).toBe(true);
    expect(await finishRemovals(api.operations, unexpected)).toBe(1);
    expect(existsSync(folder)).toBe(false);
    expect(await finishRemovals(api.operations, unexpected)).toBe(0);
    expect(await statusOf(api, ada, run.id)).toBe("deleted");
  });

  test("files of a workflow that was not created after all", async () => {
    const id = random.uuid();
    await reserveWorkspace(db, { id, ownerId: ada.id, createdAtMs: clock.now() });
    await mkdir(workspaces.of(id).folder);
    await writeFile(path.join(workspaces.of(id).folder, "a.txt"), "a");
    const rows = await rowsOfWorkspaces();
    expect(await finishRemovals(api.operations, unexpected)).toBe(1);
    expect(existsSync(workspaces.of(id).folder)).toBe(false);
    expect(await rowsOfWorkspaces()).toBe(rows - 1);
  });

  test("even if some files cannot be removed now, which is reported", async () => {
    const [stuck, other] = await Promise.all(["stuck", "other"].map((name) => createRun(api, ada, name)));
    for (const run of [stuck!, other!])
      await moveStatus(db, { runId: run.id, to: "deleted", by: "user", atMs: 1 });
    const stuckFolder = path.basename(await folderOf(stuck!));
    const failing = { remove: () => Promise.reject(new Error("not permitted")) };
    const stuckThere = withVerbs(workspaces, ({ id }) => (id === stuckFolder ? failing : {}));
    const told: string[] = [];
    const context = { ...api.operations, workspaces: stuckThere };
    expect(await finishRemovals(context, (id) => told.push(id))).toBe(1);
    expect(told).toEqual([stuckFolder]);
    expect(await finishRemovals(api.operations, unexpected)).toBe(1);
  });

  test("and nothing else", async () => {
    const run = await createRun(api, ada, "kept");
    await put(run, "a.txt", "a");
    expect(await finishRemovals(api.operations, unexpected)).toBe(0);
    expect((await get(run, "a.txt")).body).toBe("a");
  });
});
