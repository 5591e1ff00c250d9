import { createHash } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { jobsOfRun } from "#store/jobs/jobs";
import { maybeRun } from "#store/runs/runs";
import {
  ALL,
  reuseFixture,
  type Specification,
  type Step,
  stepsOf,
} from "../../support/scenarios/reuse-fixture.ts";
import { changeStatus, statusOf, T } from "../../support/run-rows.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

const fixture = await reuseFixture();
const { api, db, ada, folder, ranFile, step, chain, created, ran, upload, fileOf, isThere, restart } =
  fixture;

beforeEach(() => fixture.ranNow());
afterAll(() => fixture.close());

describe("a restart runs exactly", () => {
  test("no job, without a change", async () => {
    const id = await ran();
    const again = await restart(id);
    expect(again.steps).toEqual([]);
    const [old, jobs] = [await jobsOfRun(db, id), await jobsOfRun(db, again.id)];
    expect(jobs.map(({ status, reason, takenFrom }) => [status, reason, takenFrom])).toEqual(
      old.map((job) => ["finished", "taken-over", job.id]),
    );
    expect(await maybeRun(db, again.id)).toMatchObject({
      jobsFinished: 3,
      jobsRunning: 0,
      jobsTotal: 3,
    });
  });

  interface Change {
    readonly name: string;
    readonly change: (steps: [Step, Step, Step], specification: Specification) => void;
    readonly runs: readonly string[];
    readonly fields: readonly string[] | undefined;
  }

  test.each<Change>([
    {
      name: "the first command, and all after it",
      change: ([first]) => first.commands.splice(0, 1, `${first.commands[0]} && true`),
      runs: ALL,
      fields: ["command"],
    },
    {
      name: "the last command",
      change: ([, , last]) => last.commands.splice(0, 1, `${last.commands[0]} && true`),
      runs: ["plot"],
      fields: ["command"],
    },
    {
      name: "a command that was added",
      change: (steps) => steps.push(step("more", "true")),
      runs: ["more"],
      fields: [],
    },
    {
      name: "nothing, when the last command was taken away",
      change: (steps) => steps.splice(2, 1),
      runs: [],
      fields: undefined,
    },
    {
      name: "what uses a parameter",
      change: (_, { inputs }) => Object.assign(inputs.parameters!, { n: 2 }),
      runs: ["fit", "plot"],
      fields: ["parameters.n"],
    },
    {
      name: "nothing, when nothing uses the parameter",
      change: (_, { inputs }) => Object.assign(inputs.parameters!, { unused: 2 }),
      runs: [],
      fields: undefined,
    },
    {
      name: "nothing, when a step may use more memory and another number of cores",
      change: ([, fit]) => Object.assign(fit, { kubernetes_memory_limit: "1Gi", kubernetes_cpu_limit: "2" }),
      runs: [],
      fields: undefined,
    },
    {
      name: "nothing, when a step may take longer",
      change: ([, , plot]) => Object.assign(plot, { kubernetes_job_timeout: 60 }),
      runs: [],
      fields: undefined,
    },
    {
      name: "what has another environment",
      change: ([, fit]) => Object.assign(fit, { environment: "other" }),
      runs: ["fit", "plot"],
      fields: ["environment"],
    },
    {
      name: "nothing, when a step has another name",
      change: ([, fit]) => Object.assign(fit, { name: "renamed" }),
      runs: [],
      fields: undefined,
    },
    {
      name: "all, when another input is declared",
      change: (_, { inputs }) => inputs.files!.push("data/more.txt"),
      runs: ALL,
      fields: ["inputs"],
    },
    {
      name: "all, when the workflow asks for other resources",
      change: (_, { workflow }) => Object.assign(workflow, { resources: { kerberos: false } }),
      runs: ALL,
      fields: ["workflow.resources.kerberos"],
    },
  ])("$name", async ({ change, runs: expected, fields }) => {
    const id = await ran();
    const specification = chain();
    change(stepsOf(specification) as [Step, Step, Step], specification);
    const again = await restart(id, { reana_specification: specification });
    expect([again.steps, again.fields]).toEqual([expected, fields]);
  });

  test("the steps that use a parameter given at the start", async () => {
    const id = await ran();
    const again = await restart(id, { input_parameters: { n: 2 } });
    expect([again.steps, again.reason]).toEqual([
      ["fit", "plot"],
      expect.stringMatching(/^parameters\.n has changed since w\d+\.1\.$/),
    ]);
    // Another restart compares with the restarted run and its parameters.
    expect((await restart(again.id)).steps).toEqual([]);
  });

  interface FileChange {
    readonly name: string;
    readonly file: string;
    readonly content: string;
    readonly runs: readonly string[];
    readonly fields: readonly string[] | undefined;
  }

  test.each<FileChange>([
    {
      name: "all, when an input has changed",
      file: "data/in.txt",
      content: "another\n",
      runs: ALL,
      fields: ["inputs data/in.txt"],
    },
    {
      name: "nothing, when an input was uploaded again",
      file: "data/in.txt",
      content: "one\n",
      runs: [],
      fields: undefined,
    },
    {
      name: "all, when a file has come into a declared directory",
      file: "code/b.sh",
      content: "b",
      runs: ALL,
      fields: ["inputs code/b.sh"],
    },
    {
      name: "the step that left what was changed, and all after it",
      file: "out/fit",
      content: "one\ntwo\n1\n",
      runs: ["fit", "plot"],
      fields: ["files out/fit"],
    },
    {
      name: "the last step, when its output was changed",
      file: "out/plot",
      content: "else",
      runs: ["plot"],
      fields: ["files out/plot"],
    },
    {
      name: "all, when there is a file that nobody declared",
      file: "notes.txt",
      content: "new",
      runs: ALL,
      fields: ["files notes.txt"],
    },
    {
      name: "nothing, when the specification was uploaded",
      file: "reana.yaml",
      content: "workflow: {}",
      runs: [],
      fields: undefined,
    },
  ])("$name", async ({ file, content, runs: expected, fields }) => {
    const id = await ran();
    await upload(id, file, content);
    const again = await restart(id);
    expect([again.steps, again.fields]).toEqual([expected, fields]);
    // A repeated job counts like a new job.
    expect((await restart(again.id)).steps).toEqual([]);
  });

  test("the step whose output is gone", async () => {
    const id = await ran();
    await rm(await fileOf(id, "out/prepared"));
    expect((await restart(id)).steps).toEqual(ALL);
    await rm(await fileOf(id, "out/plot"));
    expect((await restart((await maybeRun(db, id))!.name)).steps).toEqual(["plot"]);
  });

  test("the steps that changed between two restarts, even if repeated steps overwrote files", async () => {
    const id = await ran();
    await upload(id, "data/in.txt", "another\n");
    const all = await restart(id);
    const specification = chain();
    stepsOf(specification)[2]!.commands[0] += " && true";
    const last = await restart(all.id, { reana_specification: specification });
    stepsOf(specification)[1]!.commands[0] += " && true";
    const both = await restart(last.id, { reana_specification: specification });
    const none = await restart(both.id);
    expect([all.steps, last.steps, both.steps, none.steps]).toEqual([ALL, ["plot"], ["fit", "plot"], []]);
  });

  test("a step whose output was changed in place to as many bytes", async () => {
    const id = await ran();
    const file = await fileOf(id, "out/fit");
    const content = await readFile(file, "utf8");
    await writeFile(file, content.replace("one", "ONE"));
    expect((await restart(id)).steps).toEqual(["fit", "plot"]);
  });
});

describe("a run that did not finish", () => {
  test("continues at the command that failed, however often", async () => {
    const specification = chain();
    stepsOf(specification)[1]!.commands = [
      `echo fit >> ${ranFile}; echo half > out/fit; test -e ${folder}/ok`,
    ];
    const id = await ran(specification, "failed");
    const again = await restart(id, {}, "failed");
    expect([again.steps, again.reason]).toEqual([["fit"], expect.stringMatching(/^It failed in w\d+\.1\.$/)]);
    await writeFile(path.join(folder, "ok"), "");
    const last = await restart(again.id);
    expect([last.steps, last.fields]).toEqual([["fit", "plot"], []]);
    const jobs = await jobsOfRun(db, last.id);
    expect(jobs[0]?.takenFrom).toBe((await jobsOfRun(db, id))[0]?.id);
    expect((await restart(last.id)).steps).toEqual([]);
  });

  test("continues at the command that was stopped, regardless of its partial output", async () => {
    const specification = chain();
    const sleeper = `echo fit >> ${ranFile}; echo half > out/fit; test -e ${folder}/go || exec sleep 1000`;
    stepsOf(specification)[1]!.commands = [sleeper];
    const run = await created(specification);
    await changeStatus(api, ada, run.id, "start");
    await expect.poll(async () => (await readFile(ranFile, "utf8")).includes("fit")).toBe(true);
    await expect.poll(() => fileOf(run.id, "out/fit").then(isThere)).toBe(true);
    await changeStatus(api, ada, run.id, "stop");
    expect([await statusOf(api, ada, run.id), await fixture.ranNow()]).toEqual([
      "stopped",
      ["prepare", "fit"],
    ]);
    await writeFile(path.join(folder, "go"), "");
    const again = await restart(run.id);
    expect([again.steps, again.reason]).toEqual([
      ["fit", "plot"],
      expect.stringMatching(/^It was stopped in w\d+\.1\.$/),
    ]);
  });

  test("leaves no doubt for a run that was not the last in the workspace", async () => {
    const id = await ran();
    const specification = chain();
    stepsOf(specification)[2]!.commands = [`echo plot >> ${ranFile}; exit 3`];
    const failed = await restart(id, { reana_specification: specification }, "failed");
    expect(failed.steps).toEqual(["plot"]);
    // The first run has finished, but the second run has replaced its files.
    const again = await restart(id);
    expect([again.steps, again.fields]).toEqual([["plot"], ["command"]]);
  });
});

describe("in doubt a command runs again:", () => {
  test("a command that changes files of an earlier command, together with the earlier command", async () => {
    const specification = chain();
    stepsOf(specification)[1]!.commands = [
      `echo fit >> ${ranFile}; cp out/prepared out/fit; echo more >> out/prepared`,
    ];
    const id = await ran(specification);
    expect((await restart(id)).steps).toEqual([]);
    const changed = structuredClone(specification);
    stepsOf(changed)[1]!.commands = [
      `echo fit >> ${ranFile}; cp out/prepared out/fit; echo else >> out/prepared`,
    ];
    const again = await restart(id, { reana_specification: changed });
    expect([again.steps, again.fields]).toEqual([ALL, ["files out/prepared"]]);
  });

  test.each([
    ["uploaded", "POST", "workspace?file_name=out/prepared"],
    ["deleted", "DELETE", "workspace/out/prepared"],
    ["moved", "PUT", "move_files?source=out/prepared&target=out/else"],
  ] as const)("a file that a user %s while a command ran", async (_what, method, where) => {
    const specification = chain();
    const go = path.join(folder, `go${method}`);
    stepsOf(specification)[1]!.commands = [
      `cp out/prepared out/fit; echo fit >> ${ranFile}; until test -e ${go}; do sleep 0.01; done`,
    ];
    const run = await created(specification);
    await changeStatus(api, ada, run.id, "start");
    await expect.poll(async () => (await readFile(ranFile, "utf8")).includes("fit")).toBe(true);
    const target = where.startsWith("move") ? where.replace("?", `/${run.id}?`) : `${run.id}/${where}`;
    const url = `/api/workflows/${target}${where.includes("?") ? "&" : "?"}${T(ada)}`;
    const reply = await api.inject({ method, url, ...(method === "POST" && { payload: "one\ntwo\n" }) });
    expect([reply.statusCode, reply.body]).toEqual([200, expect.any(String)]);
    await writeFile(go, "");
    await fixture.untilOver(run.id, "finished");
    await fixture.ranNow();
    const again = await restart(run.id);
    expect([again.steps, again.reason]).toEqual([
      ALL,
      expect.stringMatching(/^Files were changed while w\d+\.1 was running: /),
    ]);
    expect((await restart(again.id)).steps).toEqual([]);
  });

  test("a file that a user uploaded in parts while a command ran", async () => {
    const specification = chain();
    const go = path.join(folder, "go in parts");
    stepsOf(specification)[1]!.commands = [
      `cp out/prepared out/fit; echo fit >> ${ranFile}; until test -e "${go}"; do sleep 0.01; done`,
    ];
    const run = await created(specification);
    await changeStatus(api, ada, run.id, "start");
    await expect.poll(async () => (await readFile(ranFile, "utf8")).includes("fit")).toBe(true);
    const uploads = `/api/workflows/${run.id}/uploads`;
    const payload = { file_name: "out/prepared", size: 3, sha256: sha256("new") };
    const announced = await api.inject({ method: "POST", url: `${uploads}?${T(ada)}`, payload });
    const begun = `${uploads}/${announced.json<{ upload_id: string }>().upload_id}`;
    await api.inject({ method: "PUT", url: `${begun}?offset=0&${T(ada)}`, payload: "new" });
    expect((await api.inject({ method: "POST", url: `${begun}/complete?${T(ada)}` })).statusCode).toBe(200);
    await writeFile(go, "");
    await fixture.untilOver(run.id, "finished");
    await fixture.ranNow();
    expect((await restart(run.id)).reason).toMatch(/^Files were changed while w\d+\.1 was running: /);
  });

  test("an input that changed during the run", async () => {
    const specification = chain();
    stepsOf(specification)[1]!.commands = [
      `echo fit >> ${ranFile}; cp data/in.txt out/fit; echo x >> data/in.txt`,
    ];
    const id = await ran(specification);
    await upload(id, "data/in.txt", "one\n");
    const again = await restart(id);
    expect([again.steps, again.fields]).toEqual([["fit", "plot"], ["inputs data/in.txt"]]);
  });
});
