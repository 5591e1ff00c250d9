import { access, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect } from "vitest";
import { maybeRun } from "#store/runs/runs";
import { isLive } from "#workflow/run/run-status";
import { apiFixture, type ApiFixtureOptions } from "../api-fixture.ts";
import { runInShell } from "../engines/shell-jobs.ts";
import { changeStatus, createRun, T } from "../run-rows.ts";

export interface Step {
  name: string;
  environment: string;
  commands: string[];
  [key: string]: unknown;
}

export interface Specification {
  inputs: { files?: string[]; directories?: string[]; parameters?: Record<string, unknown> };
  workflow: { type: "serial"; specification: { steps: Step[] } };
}

export interface PlannedJob {
  name: string;
  verdict: string;
  reason: string;
  differences: { field: string; before: unknown; now: unknown }[];
}

export const stepsOf = (specification: Specification): Step[] => specification.workflow.specification.steps;

export const ALL = ["prepare", "fit", "plot"];

/**
 * Fixture for restarts. Each command adds its name to a file outside the workspace, so the executed commands
 * are known without the server.
 */
export async function reuseFixture(options: ApiFixtureOptions = {}) {
  const api = await apiFixture(options);
  runInShell(api.backend);
  const { db } = api.operations;
  const ada = await api.makeUser();
  const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-reuse-"));
  const ranFile = path.join(folder, "ran");
  await writeFile(ranFile, "");

  const step = (name: string, command: string): Step => ({
    name,
    environment: "any",
    commands: [`echo ${name} >> ${ranFile}; ${command}`],
  });

  /** Specifies three steps. Each reads the output of the previous step. */
  function chain(): Specification {
    return {
      inputs: { files: ["data/in.txt"], directories: ["code"], parameters: { n: 1, unused: 1 } },
      workflow: {
        type: "serial",
        specification: {
          steps: [
            step("prepare", "mkdir -p out; cat data/in.txt code/a.sh > out/prepared"),
            step("fit", "cat out/prepared > out/fit; echo ${n} >> out/fit"),
            step("plot", "cat out/fit > out/plot"),
          ],
        },
      },
    };
  }

  let runs = 0;

  async function created(specification: Specification) {
    const run = await createRun(api, ada, `w${(runs += 1)}`, specification);
    await upload(run.id, "data/in.txt", "one\n");
    await upload(run.id, "code/a.sh", "two\n");
    return run;
  }

  const isThere = (file: string) =>
    access(file).then(
      () => true,
      () => false,
    );

  /** Creates a run with the specification and waits for its end. */
  async function ran(specification: Specification = chain(), status = "finished") {
    const run = await created(specification);
    await changeStatus(api, ada, run.id, "start");
    await untilOver(run.id, status);
    await ranNow();
    return run.id;
  }

  async function untilOver(id: string, status: string, pollMs = 2) {
    while (isLive((await maybeRun(db, id))!.status))
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    const { failure, ...run } = (await maybeRun(db, id))!;
    expect(run.status, failure ?? "").toBe(status);
  }

  async function upload(id: string, name: string, content: string) {
    const url = `/api/workflows/${id}/workspace?file_name=${name}&${T(ada)}`;
    expect((await api.inject({ method: "POST", url, payload: content })).statusCode).toBe(200);
  }

  /** Returns the path of a run's file. */
  async function fileOf(id: string, name: string) {
    const { workspaceId } = (await maybeRun(db, id))!;
    return path.join(api.operations.workspaces.of(workspaceId).folder, name);
  }

  /** Returns the steps that ran since the last call. */
  async function ranNow(): Promise<string[]> {
    const lines = (await readFile(ranFile, "utf8")).split("\n").slice(0, -1);
    await writeFile(ranFile, "");
    return lines;
  }

  async function planOf(id: string, body: object = {}) {
    const url = `/api/workflows/${id}/restart-plan?${T(ada)}`;
    const reply = await api.inject({ method: "POST", url, payload: body });
    expect([reply.statusCode, reply.body]).toEqual([200, expect.any(String)]);
    return reply.json<{ previous: string; taken_over: number; runs: number; jobs: PlannedJob[] }>();
  }

  /** Restarts a run. Returns the executed commands, and checks the plan's prediction. */
  async function restart(id: string, body: object = {}, status = "finished") {
    const plan = await planOf(id, body);
    const url = `/api/workflows/${id}/start?${T(ada)}`;
    const reply = await api.inject({ method: "POST", url, payload: { restart: true, ...body } });
    expect([reply.statusCode, reply.body]).toEqual([200, expect.any(String)]);
    const again = reply.json<{ workflow_id: string }>().workflow_id;
    await untilOver(again, status);
    const steps = await ranNow();
    if (status === "finished") {
      expect(plan.jobs.filter((job) => job.verdict === "runs").map((job) => job.name)).toEqual(steps);
    }
    const first = plan.jobs.find((job) => job.verdict === "runs");
    return { id: again, steps, fields: first?.differences.map(({ field }) => field), reason: first?.reason };
  }

  return {
    api,
    db,
    ada,
    folder,
    ranFile,
    step,
    chain,
    created,
    ran,
    upload,
    fileOf,
    isThere,
    ranNow,
    planOf,
    restart,
    untilOver,
    async close() {
      await api.close();
      await rm(folder, { recursive: true });
    },
  };
}
