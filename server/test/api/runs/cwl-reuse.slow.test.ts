import { afterAll, describe, expect, test } from "vitest";
import { jobsOfRun } from "#store/jobs/jobs";
import { UNKNOWN_DIGEST } from "#workflow/job/image-digest";
import { cwlReuseFixture } from "../../support/scenarios/cwl-reuse-fixture.ts";

const fixture = await cwlReuseFixture();
const { ran, restart, parameters, files } = fixture;
afterAll(() => fixture.close());

const COUNTS = ["count a.txt", "count b.txt", "count c.txt"];
const ALL = [...COUNTS, "report made.txt", "sum sum"];
const SUM = "cwl/1/sum/out/made.txt";

/** Returns documents in which one text is replaced. */
function edited(name: string, text: string, by: string) {
  const content = files[name]!.replace(text, by);
  expect(content).not.toBe(files[name]);
  return { [name]: content };
}

describe("a restart of a CWL run runs exactly", () => {
  test("nothing, when nothing has changed, and all jobs are there", async () => {
    const first = await ran();
    expect(first.steps).toEqual(ALL);
    const again = await restart(first.id);
    expect(again.steps).toEqual([]);
    const { db } = fixture.api.operations;
    const [old, jobs] = [await jobsOfRun(db, first.id), await jobsOfRun(db, again.id)];
    // Tasks of a scatter are found in any order.
    const taken = jobs.map(({ status, reason, takenFrom }) => `${status}, ${reason}: ${takenFrom}`);
    expect(new Set(taken)).toEqual(new Set(old.map(({ id }) => `finished, taken-over: ${id}`)));
    expect(jobs[0]!.decision).toMatchObject({
      kind: "taken-over",
      sentence: expect.stringMatching(/^Taken over from w1.1: /),
    });
    expect(await fixture.contentOf(again.id, "outputs/made.txt")).toBe("Counts!\n2\n3\n4\n");
  });

  test("everything, after a run that kept its outputs only, and says that it removed the rest", async () => {
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

  interface Change {
    readonly name: string;
    /** Documents and inputs that are put into the workspace before the restart. */
    readonly put?: () => Readonly<Record<string, string>>;
    readonly touch?: string;
    readonly append?: string;
    readonly remove?: string;
    readonly body?: object;
    /** The digest of the image `any` from then on. */
    readonly image?: string;
    readonly runs: readonly string[];
    /** Why the first job that runs does so. */
    readonly field?: string;
    readonly reason?: string;
  }

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
      name: "what uses a parameter",
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
  ])("$name", async ({ put, touch, append, remove, body, image = "sha256:1", runs, field, reason }) => {
    const { images } = fixture.api.backend;
    for (const name of ["any", "other"]) images.set(name, "sha256:1");
    const { id } = await ran();
    images.set("any", image);
    if (put) await fixture.put(id, put());
    if (touch !== undefined) await fixture.touch(id, touch);
    if (append !== undefined) await fixture.append(id, append, "x");
    if (remove !== undefined) await fixture.remove(id, remove);
    const again = await restart(id, body);
    expect(again.steps).toEqual(runs);
    const first = again.plan.find(({ verdict }) => verdict === "runs");
    expect(first === undefined).toBe(runs.length === 0);
    expect(again.isComplete).toBe(runs.length === 0);
    if (field !== undefined) expect(first?.differences[0]?.field).toBe(field);
    if (reason !== undefined) expect(first?.reason).toBe(reason.replace("NAME", again.previous));
    await expectForetold(again);
    // The workspace now holds the results of all jobs, taken over or run: nothing is left to do.
    if (!["never-reused", "fresh", "from-step"].includes(first?.kind ?? ""))
      expect((await restart(again.id)).steps).toEqual([]);
  });

  test("nothing, after a change was taken back", async () => {
    const { id } = await ran();
    await fixture.put(id, { "data/b.txt": "bbb\n" });
    const changed = await restart(id);
    await fixture.put(id, { "data/b.txt": "bb\n" });
    const back = await restart(changed.id);
    expect(back.steps).toEqual([]);
    expect(await fixture.contentOf(back.id, "outputs/made.txt")).toBe("Counts!\n2\n3\n4\n");
  });

  test("what failed, and what was not reached", async () => {
    const broken = { ...files, ...edited("sum.cwl", "shift; cat", "false; shift; exit 3; cat") };
    const { id, steps } = await ran(parameters, broken, "failed");
    expect(steps).toEqual([...COUNTS, "sum sum"]);
    await fixture.put(id, { "sum.cwl": files["sum.cwl"]! });
    const again = await restart(id);
    expect(again.steps).toEqual(["report made.txt", "sum sum"]);
    expect(again.plan.find(({ verdict }) => verdict === "runs")?.reason).toBe(
      `It failed in ${again.previous}.`,
    );
  });
});

describe("a rerun of a CWL run, in a copy of its files, runs exactly", () => {
  test("nothing, when nothing has changed; and a restart of it neither", async () => {
    const { id } = await ran();
    const again = await restart(id, {}, "rerun");
    expect(again.steps).toEqual([]);
    expect(await fixture.contentOf(again.id, "outputs/made.txt")).toBe("Counts!\n2\n3\n4\n");
    // The copies count, and not the files of the first run.
    await fixture.remove(id, SUM);
    expect((await restart(again.id)).steps).toEqual([]);
  });

  test("what uses a parameter", async () => {
    const { id } = await ran();
    const again = await restart(id, { input_parameters: { title: "Sums" } }, "rerun");
    expect(again.steps).toEqual(["report made.txt"]);
    expect(await fixture.contentOf(again.id, "outputs/made.txt")).toBe("Sums!\n2\n3\n4\n");
    expect(await fixture.contentOf(id, "outputs/made.txt")).toBe("Counts!\n2\n3\n4\n");
  });
});

test("a step to start from has to be there", async () => {
  const { id } = await ran();
  const reply = await fixture.tryPlan(id, { from_step: "none" });
  expect(reply.statusCode).toBe(400);
  expect(reply.json<{ message: string }>().message).toContain(
    'There is no step "none" to start from (the steps: count, sum, shout, report).',
  );
});

/** Checks that each job did what the plan had said. */
async function expectForetold({ id, plan }: Awaited<ReturnType<typeof restart>>): Promise<void> {
  const jobs = new Map((await jobsOfRun(fixture.api.operations.db, id)).map((job) => [job.key, job]));
  for (const { key, verdict, reason } of plan) {
    const job = jobs.get(key)!;
    expect([key, job.reason === "taken-over" ? "taken-over" : "runs"]).toEqual([key, verdict]);
    if (reason !== "It has not run in this workspace.") expect(job.decision?.sentence).toBe(reason);
  }
}
