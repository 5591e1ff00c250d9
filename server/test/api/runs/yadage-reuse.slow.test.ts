import { readFile } from "node:fs/promises";
import { afterAll, describe, expect, test } from "vitest";
import { jobsOfRun } from "#store/jobs/jobs";
import { yadageReuseFixture } from "../../support/scenarios/yadage-reuse-fixture.ts";
import { T } from "../../support/run-rows.ts";

const fixture = await yadageReuseFixture();
const { ran, restart, parameters, files } = fixture;
afterAll(() => fixture.close());

const COUNTS = ["count a.txt", "count b.txt", "count c.txt"];
const ALL = [...COUNTS, "report", "sum"];
const REPORT = "tell/report/made.txt";

/** Returns documents in which one text is replaced. */
function edited(text: string, by: string, name = "steps.yml") {
  const content = files[name]!.replace(text, by);
  expect(content).not.toBe(files[name]);
  return { [name]: content };
}

describe("a restart of a Yadage run runs exactly", () => {
  test("nothing, when nothing has changed, and all jobs, results and files are there", async () => {
    const first = await ran();
    expect(first.steps).toEqual(ALL);
    const again = await restart(first.id);
    expect(again.steps).toEqual([]);
    expect(again.plan.map(({ verdict }) => verdict)).toEqual(ALL.map(() => "taken-over"));
    const { db } = fixture.api.operations;
    const [old, jobs] = [await jobsOfRun(db, first.id), await jobsOfRun(db, again.id)];
    // The jobs of a scatter are found in any order.
    expect(new Set(jobs.map(({ key, reason, takenFrom }) => `${key} ${reason} ${takenFrom}`))).toEqual(
      new Set(old.map(({ key, id: from }) => `${key} taken-over ${from}`)),
    );
    expect(await fixture.contentOf(again.id, REPORT)).toBe("Counts\n2\n3\n4\n");
    expect(await outputsOf(again.id)).toEqual(await outputsOf(first.id));
    const sum = await fixture.fileOf(first.id, "sum/made.txt");
    expect(await fixture.contentOf(first.id, "tell/report/_yadage_parmount_0.txt")).toBe(
      `{"of": ["${sum}"]}`,
    );
  });

  interface Change {
    readonly name: string;
    /** Documents and inputs that are put into the workspace before the restart. */
    readonly put?: () => Readonly<Record<string, string>>;
    readonly touch?: string;
    readonly append?: string;
    readonly remove?: string;
    readonly body?: object;
    readonly runs: readonly string[];
    /** Why the first job that runs does so. */
    readonly field?: string;
    readonly reason?: string;
  }

  test.each<Change>([
    {
      name: "a command that has changed, and nothing after it as long as its files stay the same",
      put: () => edited("wc -c", "true; wc -c"),
      runs: COUNTS,
      field: "command",
      reason: "Its command has changed since NAME.",
    },
    {
      name: "what read an input of which a byte has changed, and what follows",
      put: () => ({ "data/b.txt": "bbb\n" }),
      runs: ["count b.txt", "report", "sum"],
      field: "inputs.file",
      reason: "Its input file has changed since NAME.",
    },
    {
      name: "nothing, when an input was written again with the same bytes",
      put: () => ({ "data/b.txt": "bb\n" }),
      runs: [],
    },
    {
      name: "what uses a parameter",
      body: { input_parameters: { title: "Sums" } },
      runs: ["report"],
      field: "command",
    },
    {
      name: "what has another variable in its environment",
      put: () => edited("{LANGUAGE: none}", "{LANGUAGE: some}"),
      runs: ["report"],
      field: "environment.LANGUAGE",
      reason: "The environment variable LANGUAGE has changed since NAME.",
    },
    {
      name: "what reads another text by a mount",
      put: () => edited("{of: .sum}", "{of: .title}"),
      runs: ["report"],
      field: "mounted /etc/report.json",
    },
    {
      name: "what has another image",
      put: () => edited("image: any, resources", "image: other, resources"),
      runs: COUNTS,
      field: "image",
      reason: "Its image has changed since NAME.",
    },
    {
      name: "nothing, when limits are other ones",
      put: () => edited("kubernetes_job_timeout: 60", "kubernetes_memory_limit: 1Gi"),
      runs: [],
    },
    {
      name: "nothing, when a step only publishes in another way",
      put: () =>
        edited(
          "{publisher_type: frompar-pub, outputmap: {made: made}}",
          "{publisher_type: interpolated-pub, publish: {made: '{made}'}}",
        ),
      runs: [],
    },
    {
      name: "what had a file that was touched",
      touch: "count_1/made.txt",
      runs: ["count b.txt"],
      field: "files count_1/made.txt",
    },
    {
      name: "what had a file that was changed, whose content it makes again",
      append: "count_1/made.txt",
      runs: ["count b.txt"],
      reason: "count_1/made.txt has changed since NAME.",
    },
    {
      name: "what had a file that is gone",
      remove: "sum/made.txt",
      runs: ["sum"],
      reason: "sum/made.txt is gone since NAME.",
    },
    {
      name: "what parts of a scatter are new, and what follows",
      put: () => ({ "data/d.txt": "dddd\n" }),
      body: { input_parameters: { files: [...parameters.files, "data/d.txt"] } },
      runs: ["count d.txt", "report", "sum"],
      reason: "No earlier run of this workspace has finished it.",
    },
    {
      name: "everything from a stage on",
      body: { from_step: "sum" },
      runs: ["report", "sum"],
      reason: 'The run was asked to run everything from the step "sum" on.',
    },
    { name: "a stage of a nested workflow", body: { from_step: "tell/report" }, runs: ["report"] },
    { name: "everything, when it is asked to", body: { fresh: true }, runs: ALL },
  ])("$name", async ({ put, touch, append, remove, body, runs, field, reason }) => {
    const { id } = await ran();
    if (put) await fixture.put(id, put());
    if (touch !== undefined) await fixture.touch(id, touch);
    if (append !== undefined) await fixture.append(id, append, "x");
    if (remove !== undefined) await fixture.remove(id, remove);
    const again = await restart(id, body);
    expect(again.steps).toEqual(runs);
    const first = again.plan.find(({ verdict }) => verdict === "runs");
    if (field !== undefined) expect(first?.differences.map((one) => one.field)).toContain(field);
    if (reason !== undefined) expect(first?.reason).toBe(reason.replace("NAME", again.previous));
    await expectForetold(again);
  });

  test("what failed, and what was not reached", async () => {
    const broken = { ...files, ...edited("cat {counts}", "false && cat {counts}") };
    const { id, steps } = await ran(parameters, broken, "failed");
    expect(steps).toEqual([...COUNTS, "sum"]);
    await fixture.put(id, { "steps.yml": files["steps.yml"]! });
    const again = await restart(id);
    expect(again.steps).toEqual(["report", "sum"]);
    expect(again.plan.find(({ verdict }) => verdict === "runs")?.reason).toBe(
      `It failed in ${again.previous}.`,
    );
  });

  test("what follows, also where a parameter is only the beginning of names", async () => {
    const steps = files["steps.yml"]!.replace("cat {sum};", "cat {sum}e.txt;").replace(
      "{publisher_type: fromglob-pub, globexpression: '*.txt', outputkey: made}",
      "{publisher_type: interpolated-pub, publish: {made: '{workdir}/mad'}}",
    );
    const { id } = await ran(parameters, { ...files, "steps.yml": steps });
    const second = await restart(id);
    expect(second.steps).toEqual([]);
    await fixture.put(id, { "data/b.txt": "bbb\n" });
    expect((await restart(second.id)).steps).toEqual(["count b.txt", "report", "sum"]);
  });

  test("a step that may read the whole workspace", async () => {
    const anything = {
      ...files,
      ...edited(
        "counts: {stages: count, output: made}",
        "counts: {stages: count, output: made}, all: '{workdir}/..'",
        "main.yml",
      ),
    };
    const { id } = await ran(parameters, anything);
    const again = await restart(id);
    expect(again.steps).toEqual(["sum"]);
    expect(again.plan.find(({ verdict }) => verdict === "runs")?.reason).toBe(
      "Its parameter all is the whole workspace, so it may read any file.",
    );
  });
});

test("a rerun, in a copy of the files, runs nothing when nothing has changed", async () => {
  const { id } = await ran();
  const again = await restart(id, {}, "rerun");
  expect(again.steps).toEqual([]);
  expect(await fixture.contentOf(again.id, REPORT)).toBe("Counts\n2\n3\n4\n");
  // The copies count, and not the files of the first run.
  await fixture.remove(id, "sum/made.txt");
  expect((await restart(again.id)).steps).toEqual([]);
});

test("a stage to start from has to be there", async () => {
  const { id } = await ran();
  const reply = await fixture.tryPlan(id, { from_step: "none" });
  expect(reply.statusCode).toBe(400);
  expect(reply.json<{ message: string }>().message).toContain(
    'There is no stage "none" to start from (the stages: count, sum, tell, tell/report).',
  );
});

test("a finished run has outputs by stage, and leaves its state as Yadage does", async () => {
  const { id } = await ran();
  expect(await outputsOf(id)).toEqual({
    count: [0, 1, 2].map((number) => ({ made: `count_${number}/made.txt` })),
    sum: { made: ["sum/made.txt"] },
    tell: { report: { made: REPORT } },
  });
  const snapshot = JSON.parse(
    await readFile(await fixture.fileOf(id, "_yadage/yadage_snapshot_workflow.json"), "utf8"),
  ) as { readonly dag: { readonly nodes: readonly { readonly name: string; readonly state: string }[] } };
  expect(snapshot.dag.nodes.map(({ name, state }) => `${name} ${state}`).toSorted()).toEqual(
    ["count_0", "count_1", "count_2", "init", "init_tell", "report", "sum"].map((name) => `${name} SUCCESS`),
  );
  expect(snapshot).toMatchObject({ stepsbystage: { count: [{}, {}, {}], tell: [{ _offset: "/tell/0" }] } });
});

async function outputsOf(id: string): Promise<unknown> {
  const reply = await fixture.api.inject({ url: `/api/workflows/${id}/outputs?${T(fixture.ada)}` });
  return reply.json<{ outputs: unknown }>().outputs;
}

/** Checks that each job did what the plan had said. */
async function expectForetold({ id, plan }: Awaited<ReturnType<typeof restart>>): Promise<void> {
  const jobs = new Map((await jobsOfRun(fixture.api.operations.db, id)).map((job) => [job.key, job]));
  for (const { key, verdict, reason } of plan) {
    const job = jobs.get(key)!;
    expect([key, job.reason === "taken-over" ? "taken-over" : "runs"]).toEqual([key, verdict]);
    if (reason !== "It has not run in this workspace.") expect(job.decision?.sentence).toBe(reason);
  }
}
