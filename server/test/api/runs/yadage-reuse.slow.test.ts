import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import {
  type Change,
  edited as editedIn,
  expectAllTakenOver,
  expectMended,
  expectNoSuchStep,
  expectRestart,
  firstToRun,
} from "../../support/scenarios/restart-changes.ts";
import { yadageReuseFixture } from "../../support/scenarios/yadage-reuse-fixture.ts";
import { T } from "../../support/run-rows.ts";

const fixture = await yadageReuseFixture();
const { ran, restart, parameters, files } = fixture;
afterAll(() => fixture.close());

const COUNTS = ["count a.txt", "count b.txt", "count c.txt"];
const ALL = [...COUNTS, "report", "sum"];
const REPORT = "tell/report/made.txt";

const edited = (text: string, by: string, name = "steps.yml") => editedIn(files, name, text, by);

describe("a restart of a Yadage run runs exactly", () => {
  test("no job, without a change, with all jobs, results and files present", async () => {
    const first = await ran();
    expect(first.steps).toEqual(ALL);
    const again = await expectAllTakenOver(fixture, first.id);
    expect(await fixture.contentOf(again.id, REPORT)).toBe("Counts\n2\n3\n4\n");
    expect(await outputsOf(again.id)).toEqual(await outputsOf(first.id));
    const sum = await fixture.fileOf(first.id, "sum/made.txt");
    expect(await fixture.contentOf(first.id, "tell/report/_yadage_parmount_0.txt")).toBe(
      `{"of": ["${sum}"]}`,
    );
  });

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
  ])("$name", (change) => expectRestart(fixture, change));

  test("failed jobs and unreached jobs", () =>
    expectMended(fixture, {
      broken: edited("cat {counts}", "false && cat {counts}"),
      ran: [...COUNTS, "sum"],
      runs: ["report", "sum"],
    }));

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
    expect(firstToRun(again)?.reason).toBe(
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

test("a stage to start from has to be there", () =>
  expectNoSuchStep(
    fixture,
    'There is no stage "none" to start from (the stages: count, sum, tell, tell/report).',
  ));

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

test("a run that keeps its outputs only leaves Yadage's records, and a restart makes the rest again", async () => {
  const declared = { outputs: { files: [REPORT] }, workspace: { keep: "outputs" } };
  const first = await ran(parameters, files, "finished", { declared });
  const folder = await fixture.fileOf(first.id, "");
  const left = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
      .toSorted();
  const kept = [...Object.keys(files), REPORT, "_yadage/yadage_snapshot_workflow.json"].toSorted();
  expect(left()).toEqual(kept);
  const again = await restart(first.id);
  expect(again.steps).toEqual(ALL);
  expect(again.plan.map(({ kind }) => kind)).toEqual(["removed", "removed", "removed"]);
  expect(left()).toEqual(kept);
  expect(await fixture.contentOf(again.id, REPORT)).toBe("Counts\n2\n3\n4\n");
});
