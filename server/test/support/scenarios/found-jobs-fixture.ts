import { appendFile, mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect } from "vitest";
import type { ServerParts } from "#app/server-parts";
import type { Engine, Evaluate } from "#engines/engine";
import { maybeRun } from "#store/runs/runs";
import { isLive } from "#workflow/run/run-status";
import { apiFixture } from "../api-fixture.ts";
import type { PlannedJob } from "./reuse-fixture.ts";
import { changeStatus, createRun, T } from "../run-rows.ts";
import { runnable } from "../server-parts.ts";
import { runInShell } from "../engines/shell-jobs.ts";

/** Contents of workspace files by path. */
export type Files = Readonly<Record<string, string>>;

/** An engine that reuses finished jobs by content, and a workflow in its language. */
export interface Restarted {
  readonly engine: Engine;
  readonly evaluate: Evaluate;
  readonly file: string;
  /** Returns documents whose commands each add a line to `ranFile`. */
  files(ranFile: string): Files;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly reuseAcrossRuns?: boolean;
  /** Replacements for parts of the fixture's server. */
  readonly parts?: Partial<ServerParts>;
}

/**
 * Fixture for restarts. Each command adds its name to a file outside the workspace, so the executed commands
 * are known without the server.
 */
export async function foundJobsFixture({
  engine,
  evaluate,
  file,
  parameters,
  reuseAcrossRuns,
  parts,
  ...of
}: Restarted) {
  const engines = [{ ...runnable(engine, evaluate), findsReusable: true as const }];
  const api = await apiFixture({ parts: { engines, runSettings: { reuseAcrossRuns }, ...parts } });
  runInShell(api.backend);
  const ada = await api.makeUser();
  const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-found-jobs-"));
  const ranFile = path.join(folder, "ran");
  await writeFile(ranFile, "");
  const files = of.files(ranFile);
  let runs = 0;

  async function put(id: string, content: Files, user = ada): Promise<void> {
    for (const [name, payload] of Object.entries(content)) {
      const url = `/api/workflows/${id}/workspace?file_name=${name}&${T(user)}`;
      expect((await api.inject({ method: "POST", url, payload })).statusCode).toBe(200);
    }
  }

  async function ran(
    given: Readonly<Record<string, unknown>> = parameters,
    content = files,
    status = "finished",
    {
      user = ada,
      body = {},
      declared = {},
    }: { readonly user?: typeof ada; readonly body?: object; readonly declared?: object } = {},
  ) {
    const workflow = { type: engine.language, file };
    const specification = { inputs: { parameters: given }, workflow, ...declared };
    const run = await createRun(api, user, `w${(runs += 1)}`, specification);
    await put(run.id, content, user);
    const reply = await changeStatus(api, user, run.id, "start", body);
    expect([reply.statusCode, reply.body]).toEqual([200, expect.any(String)]);
    await untilOver(run.id, status);
    return { id: run.id, steps: await ranNow() };
  }

  async function untilOver(id: string, status: string) {
    while (isLive((await maybeRun(api.operations.db, id))!.status))
      await new Promise((resolve) => setTimeout(resolve, 2));
    const { failure, ...run } = (await maybeRun(api.operations.db, id))!;
    expect(run.status, failure ?? "").toBe(status);
  }

  /** Returns the commands executed since the last call. */
  async function ranNow(): Promise<string[]> {
    const lines = (await readFile(ranFile, "utf8")).split("\n").slice(0, -1);
    await writeFile(ranFile, "");
    return lines.map((line) => line.trim()).toSorted();
  }

  async function fileOf(id: string, name: string): Promise<string> {
    const { workspaceId } = (await maybeRun(api.operations.db, id))!;
    return path.join(api.operations.workspaces.of(workspaceId).folder, name);
  }

  async function tryPlan(id: string, body: object) {
    const url = `/api/workflows/${id}/restart-plan?${T(ada)}`;
    return api.inject({ method: "POST", url, payload: body });
  }

  async function planOf(id: string, body: object = {}) {
    const reply = await tryPlan(id, body);
    expect([reply.statusCode, reply.body]).toEqual([200, expect.any(String)]);
    return reply.json<{
      previous: string;
      complete: boolean;
      jobs: (PlannedJob & { key: string; kind: string })[];
    }>();
  }

  /** Restarts a run. Returns the id of the new run, the executed steps, and the plan. */
  async function restart(id: string, body: object = {}, verb: "start" | "rerun" = "start") {
    const plan = await planOf(id, verb === "rerun" ? { ...body, rerun: true } : body);
    const url = `/api/workflows/${id}/${verb}?${T(ada)}`;
    const payload = verb === "start" ? { restart: true, ...body } : body;
    const reply = await api.inject({ method: "POST", url, payload });
    const status = verb === "rerun" ? 201 : 200;
    expect([reply.statusCode, reply.body]).toEqual([status, expect.any(String)]);
    const again = reply.json<{ workflow_id: string }>().workflow_id;
    await untilOver(again, "finished");
    return {
      id: again,
      steps: await ranNow(),
      plan: plan.jobs,
      isComplete: plan.complete,
      previous: plan.previous,
    };
  }

  return {
    api,
    ada,
    files,
    put,
    ran,
    restart,
    tryPlan,
    ranNow,
    untilOver,
    fileOf,
    append: async (id: string, name: string, text: string) => appendFile(await fileOf(id, name), text),
    touch: async (id: string, name: string) => utimes(await fileOf(id, name), 1, 1),
    remove: async (id: string, name: string) => rm(await fileOf(id, name)),
    contentOf: async (id: string, name: string) => readFile(await fileOf(id, name), "utf8"),
    async close() {
      await api.close();
      await rm(folder, { recursive: true });
    },
  };
}
