import { appendFile, mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect } from "vitest";
import { createCwlEngine } from "#engines/cwl/cwl-engine";
import { loadJavaScript } from "#plumbing/javascript/evaluate";
import { maybeRun } from "#store/runs/runs";
import { isLive } from "#workflow/run/run-status";
import { apiFixture } from "./api-fixture.ts";
import type { PlannedJob } from "./reuse-fixture.ts";
import { changeStatus, createRun, T } from "./run-rows.ts";
import { runnable } from "./server-parts.ts";
import { runInShell } from "./shell-jobs.ts";

/** Files of a workspace, by their paths. */
export type Files = Readonly<Record<string, string>>;

/** CWL runs that are restarted. Each command adds its name to a file outside: what ran is known without the server. */
export async function cwlReuseFixture() {
  const engine = { ...runnable(createCwlEngine(), await loadJavaScript()), findsDone: true as const };
  const api = await apiFixture({ parts: { engines: [engine] } });
  runInShell(api.backend);
  const ada = await api.makeUser();
  const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-cwl-reuse-"));
  const ranFile = path.join(folder, "ran");
  await writeFile(ranFile, "");
  let runs = 0;

  /** Three counts, their sum, and a report with a title. */
  const files: Files = {
    "main.cwl": `
cwlVersion: v1.2
class: Workflow
requirements: {ScatterFeatureRequirement: {}, InlineJavascriptRequirement: {}, StepInputExpressionRequirement: {}}
inputs: {files: "File[]", title: string, loud: {type: boolean, default: false}}
outputs:
  report: {type: File, outputSource: report/made}
steps:
  count: {run: count.cwl, scatter: file, in: {file: files}, out: [made]}
  sum: {run: sum.cwl, in: {counts: count/made}, out: [made]}
  shout: {run: count.cwl, when: $(inputs.loud), in: {loud: loud, file: sum/made}, out: [made]}
  report:
    run: report.cwl
    in: {sum: sum/made, title: {source: title, valueFrom: "$(self + '!')"}}
    out: [made]
`,
    "count.cwl": tool("count", "inputs: {file: File}", "$(inputs.file.path)", 'wc -c < "$1"'),
    "sum.cwl": tool(
      "sum",
      'inputs: {counts: {type: "File[]", inputBinding: {position: 9}}}',
      "sum",
      'shift; cat "$@"',
    ),
    "report.cwl": tool(
      "report",
      "inputs: {sum: File, title: string}\nrequirements: {EnvVarRequirement: {envDef: {TITLE: $(inputs.title)}}}\nhints: {DockerRequirement: {dockerPull: any}}",
      "$(inputs.sum.path)",
      'echo "$TITLE"; cat "$1"',
    ),
    "data/a.txt": "a\n",
    "data/b.txt": "bb\n",
    "data/c.txt": "ccc\n",
  };

  function tool(name: string, head: string, argument: string, script: string): string {
    return `
cwlVersion: v1.2
class: CommandLineTool
${head}
baseCommand: [sh, -c]
arguments: ['echo ${name} $(basename $1) >> ${ranFile}; ${script.replaceAll("'", "''")}', sh, "${argument}"]
stdout: made.txt
outputs: {made: stdout}
`.replace("$(basename", "\\$(basename");
  }

  const parameters = {
    files: ["a", "b", "c"].map((name) => ({ class: "File", path: `data/${name}.txt` })),
    title: "Counts",
  };

  async function put(id: string, content: Files): Promise<void> {
    for (const [name, payload] of Object.entries(content)) {
      const url = `/api/workflows/${id}/workspace?file_name=${name}&${T(ada)}`;
      expect((await api.inject({ method: "POST", url, payload })).statusCode).toBe(200);
    }
  }

  async function ran(
    given: Readonly<Record<string, unknown>> = parameters,
    content = files,
    status = "finished",
  ) {
    const specification = { inputs: { parameters: given }, workflow: { type: "cwl", file: "main.cwl" } };
    const run = await createRun(api, ada, `w${(runs += 1)}`, specification);
    await put(run.id, content);
    const reply = await changeStatus(api, ada, run.id, "start");
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

  /** Returns what ran since the last call. */
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

  /** Restarts a run. Returns what ran, what the plan said, and what the jobs of the restart say. */
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
    parameters,
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
