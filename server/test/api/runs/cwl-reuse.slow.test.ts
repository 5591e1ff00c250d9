import { afterAll, describe, expect, test } from "vitest";
import { jobsOfRun } from "#store/jobs/jobs";
import { UNKNOWN_DIGEST } from "#workflow/job/image-digest";
import { cwlReuseFixture } from "../../support/scenarios/cwl-reuse-fixture.ts";
import {
  type Change,
  edited as editedIn,
  expectAllTakenOver,
  expectMended,
  expectNoSuchStep,
  expectRestart,
} from "../../support/scenarios/restart-changes.ts";

const fixture = await cwlReuseFixture();
const { ran, restart, parameters, files } = fixture;
afterAll(() => fixture.close());

const COUNTS = ["count a.txt", "count b.txt", "count c.txt"];
const ALL = [...COUNTS, "report made.txt", "sum sum"];
const SUM = "cwl/1/sum/out/made.txt";

const edited = (name: string, text: string, by: string) => editedIn(files, name, text, by);

describe("a restart of a CWL run runs exactly", () => {
  test("no job, without a change and with all jobs present", async () => {
    const first = await ran();
    expect(first.steps).toEqual(ALL);
    const again = await expectAllTakenOver(fixture, first.id);
    const jobs = await jobsOfRun(fixture.api.operations.db, again.id);
    expect(jobs[0]!.decision).toMatchObject({
      kind: "taken-over",
      sentence: expect.stringMatching(/^Taken over from w1.1: /),
    });
    expect(await fixture.contentOf(again.id, "outputs/made.txt")).toBe("Counts!\n2\n3\n4\n");
  });

  test("all jobs, after a run that kept outputs only, and reports the removal", async () => {
    const body = { operational_options: { keep: "outputs" } };
    const first = await ran(parameters, files, "finished", { body });
    expect(first.steps).toEqual(ALL);
    expect(await fixture.contentOf(first.id, "outputs/made.txt")).toBe("Counts!\n2\n3\n4\n");
    await expect(fixture.contentOf(first.id, SUM)).rejects.toThrow("ENOENT");
    const again = await restart(first.id, body);
    expect(again.steps).toEqual(ALL);
    expect(again.plan.map(({ kind, reason }) => [kind, reason])).toEqual(
      COUNTS.map(() => [
        "removed",
        expect.stringMatching(
          /^The intermediate files that it left in w\d+\.1 were removed after w\d+\.1, which kept its outputs only \(keep: outputs\)\.$/,
        ),
      ]),
    );
    expect(await fixture.contentOf(again.id, "outputs/made.txt")).toBe("Counts!\n2\n3\n4\n");
  });

  test.each<Change>([
    {
      name: "a command that has changed, and nothing after it as long as its outputs stay the same",
      put: () => edited("count.cwl", "wc -c", "true; wc -c"),
      runs: COUNTS,
      field: "command",
      reason: "Its command has changed since NAME.",
    },
    {
      name: "what read an input of which a byte has changed, and what follows",
      put: () => ({ "data/b.txt": "bbb\n" }),
      runs: ["count b.txt", "report made.txt", "sum sum"],
      field: "inputs.file",
      reason: "Its input file has changed since NAME.",
    },
    {
      name: "nothing, when an input was written again with the same bytes",
      put: () => ({ "data/b.txt": "bb\n" }),
      runs: [],
    },
    {
      name: "jobs that use a parameter",
      body: { input_parameters: { title: "Sums" } },
      runs: ["report made.txt"],
      field: "environment.TITLE",
      reason: "The environment variable TITLE has changed since NAME.",
    },
    {
      name: "what has another variable in its environment",
      put: () => edited("report.cwl", "{TITLE:", "{MORE: more, TITLE:"),
      runs: ["report made.txt"],
      field: "environment.MORE",
    },
    {
      name: "what has another image",
      put: () => edited("report.cwl", "dockerPull: any", "dockerPull: other"),
      runs: ["report made.txt"],
      field: "image",
      reason: "Its image has changed since NAME.",
    },
    {
      name: "what has another image of the same name",
      image: "sha256:2",
      runs: ["report made.txt"],
      field: "image_digest",
      reason: "Its image is not the one that it ran in in NAME, although it has the same name.",
    },
    { name: "nothing, when an image is not on this machine", image: UNKNOWN_DIGEST, runs: [] },
    {
      name: "nothing, when cores, memory and time are other ones",
      put: () =>
        edited(
          "count.cwl",
          "inputs: {file: File}",
          "inputs: {file: File}\nrequirements: {ResourceRequirement: {coresMin: 2, ramMin: 99}, ToolTimeLimit: {timelimit: 99}}",
        ),
      runs: [],
    },
    {
      name: "nothing, when only the outputs of a tool are declared otherwise",
      put: () =>
        edited(
          "count.cwl",
          "outputs: {made: stdout}",
          "outputs: {made: stdout, all: {type: 'File[]', outputBinding: {glob: '*'}}}",
        ),
      runs: [],
    },
    { name: "what had an output that was touched", touch: SUM, runs: ["sum sum"], field: `files ${SUM}` },
    {
      name: "what had an output that was changed, whose content it makes again",
      append: SUM,
      runs: ["sum sum"],
      field: `files ${SUM}`,
      reason: `${SUM} has changed since NAME.`,
    },
    {
      name: "what had an output that is gone",
      remove: SUM,
      runs: ["sum sum"],
      field: `files ${SUM}`,
      reason: `${SUM} is gone since NAME.`,
    },
    {
      name: "what tasks of a scatter are new, and what follows",
      put: () => ({ "data/d.txt": "dddd\n" }),
      body: {
        input_parameters: { files: [...parameters.files, { class: "File", path: "data/d.txt" }] },
      },
      runs: ["count d.txt", "report made.txt", "sum sum"],
      reason: "No earlier run of this workspace has finished it.",
    },
    {
      name: "what depends on the order of a scatter, whose tasks are found by what they read",
      body: { input_parameters: { files: parameters.files.toReversed() } },
      runs: ["report made.txt", "sum sum"],
      field: "inputs.counts[0]",
    },
    {
      name: "a step whose condition holds now",
      body: { input_parameters: { loud: true } },
      runs: ["count made.txt"],
    },
    {
      name: "a tool that allows no reuse",
      put: () =>
        edited(
          "count.cwl",
          "inputs: {file: File}",
          "inputs: {file: File}\nhints: {WorkReuse: {enableReuse: false}}",
        ),
      runs: COUNTS,
      reason: "Its tool allows no reuse: WorkReuse is off, or it changes its inputs in place.",
    },
    {
      name: "everything, when asked to",
      body: { fresh: true },
      runs: ALL,
      reason: "The run was asked to run everything.",
    },
    {
      name: "everything from a step on",
      body: { from_step: "sum" },
      runs: ["report made.txt", "sum sum"],
      reason: 'The run was asked to run everything from the step "sum" on.',
    },
    {
      name: "nothing, when a file changes that no job reads",
      put: () => ({ "data/other.txt": "x" }),
      runs: [],
    },
  ])("$name", (change) => expectRestart(fixture, change));

  test("nothing, after a change was taken back", async () => {
    const { id } = await ran();
    await fixture.put(id, { "data/b.txt": "bbb\n" });
    const changed = await restart(id);
    await fixture.put(id, { "data/b.txt": "bb\n" });
    const back = await restart(changed.id);
    expect(back.steps).toEqual([]);
    expect(await fixture.contentOf(back.id, "outputs/made.txt")).toBe("Counts!\n2\n3\n4\n");
  });

  test("failed jobs and unreached jobs", () =>
    expectMended(fixture, {
      broken: edited("sum.cwl", "shift; cat", "false; shift; exit 3; cat"),
      ran: [...COUNTS, "sum sum"],
      runs: ["report made.txt", "sum sum"],
    }));
});

describe("a rerun of a CWL run, in a copy of its files, runs exactly", () => {
  test("no job, without a change; and a restart of the rerun neither", async () => {
    const { id } = await ran();
    const again = await restart(id, {}, "rerun");
    expect(again.steps).toEqual([]);
    expect(await fixture.contentOf(again.id, "outputs/made.txt")).toBe("Counts!\n2\n3\n4\n");
    // The copies count, and not the files of the first run.
    await fixture.remove(id, SUM);
    expect((await restart(again.id)).steps).toEqual([]);
  });

  test("jobs that use a parameter", async () => {
    const { id } = await ran();
    const again = await restart(id, { input_parameters: { title: "Sums" } }, "rerun");
    expect(again.steps).toEqual(["report made.txt"]);
    expect(await fixture.contentOf(again.id, "outputs/made.txt")).toBe("Sums!\n2\n3\n4\n");
    expect(await fixture.contentOf(id, "outputs/made.txt")).toBe("Counts!\n2\n3\n4\n");
  });
});

test("a step to start from has to be there", () =>
  expectNoSuchStep(fixture, 'There is no step "none" to start from (the steps: count, sum, shout, report).'));
