import { rm } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { jobsOfRun } from "#store/jobs/jobs";
import { maybeRun } from "#store/runs/runs";
import { cwlReuseFixture } from "../../support/scenarios/cwl-reuse-fixture.ts";
import type { Files } from "../../support/scenarios/found-jobs-fixture.ts";
import { changeStatus } from "../../support/run-rows.ts";

const fixture = await cwlReuseFixture({ reuseAcrossRuns: true });
const { api, ada, ran, restart, parameters, files } = fixture;
const { db } = api.operations;
afterAll(() => fixture.close());

const COUNTS = ["count a.txt", "count b.txt", "count c.txt"];
const ALL = [...COUNTS, "report made.txt", "sum sum"];
const SUM = "cwl/1/sum/out/made.txt";
const RESULT = "Counts!\n2\n3\n4\n";

/** Each test has its own workflows, so no earlier run has equal steps. */
let salt = 0;
beforeEach(() => void (salt += 1));

function salted(content: Files = files): Files {
  const salting = (name: string) => content[name]!.replace("echo ", `true ${salt}; echo `);
  const tools = ["count.cwl", "sum.cwl", "report.cwl"];
  return { ...content, ...Object.fromEntries(tools.map((name) => [name, salting(name)])) };
}

function edited(name: string, text: string, by: string): Files {
  const content = files[name]!.replace(text, by);
  expect(content).not.toBe(files[name]);
  return { ...files, [name]: content };
}

const run = (given: Readonly<Record<string, unknown>> = parameters, content = files, body = {}) =>
  ran(given, salted(content), "finished", { body });

describe("a new run of the same user runs exactly", () => {
  test("no job, after an equal run of another name; the files are copies", async () => {
    const first = await run();
    expect(first.steps).toEqual(ALL);
    const second = await run();
    expect(second.steps).toEqual([]);

    expect(await fixture.contentOf(second.id, "outputs/made.txt")).toBe(RESULT);
    const [one, other] = [await jobsOfRun(db, first.id), await jobsOfRun(db, second.id)];
    expect(new Set(other.map(({ takenFrom }) => takenFrom))).toEqual(new Set(one.map(({ id }) => id)));
    const { name } = (await maybeRun(db, first.id))!;
    expect(other[0]!.decision?.sentence).toMatch(new RegExp(`^Taken over from ${name}\\.1: `));
    // The second run keeps its files when the first run is deleted.
    expect((await changeStatus(api, ada, first.id, "deleted")).statusCode).toBe(200);
    expect(await fixture.contentOf(second.id, "outputs/made.txt")).toBe(RESULT);
    expect((await restart(second.id)).steps).toEqual([]);
    // A job that was taken over can be taken over once more.
    expect((await run()).steps).toEqual([]);
  });

  test.each<{ name: string; given?: object; content?: () => Files; runs: readonly string[] }>([
    {
      name: "a command that has changed, and nothing after it as long as its outputs stay the same",
      content: () => edited("count.cwl", "wc -c", "true; wc -c"),
      runs: COUNTS,
    },
    {
      name: "what read an input of which a byte is different, and what follows",
      content: () => ({ ...files, "data/b.txt": "bbb\n" }),
      runs: ["count b.txt", "report made.txt", "sum sum"],
    },
    { name: "what uses a parameter", given: { title: "Sums" }, runs: ["report made.txt"] },
    {
      name: "what has another variable in its environment",
      content: () => edited("report.cwl", "{TITLE:", "{MORE: more, TITLE:"),
      runs: ["report made.txt"],
    },
    {
      name: "what has another image",
      content: () => edited("report.cwl", "dockerPull: any", "dockerPull: other"),
      runs: ["report made.txt"],
    },
    {
      name: "nothing, when cores, memory and time are other ones",
      content: () =>
        edited(
          "count.cwl",
          "inputs: {file: File}",
          "inputs: {file: File}\nrequirements: {ResourceRequirement: {coresMin: 2, ramMin: 99}, ToolTimeLimit: {timelimit: 99}}",
        ),
      runs: [],
    },
    {
      name: "a tool that allows no reuse",
      content: () =>
        edited(
          "count.cwl",
          "inputs: {file: File}",
          "inputs: {file: File}\nhints: {WorkReuse: {enableReuse: false}}",
        ),
      runs: COUNTS,
    },
  ])("$name", async ({ given, content, runs }) => {
    await run();
    expect((await run({ ...parameters, ...given }, content?.())).steps).toEqual(runs);
  });

  test("everything, when asked to", async () => {
    await run();
    expect((await run(parameters, files, { fresh: true })).steps).toEqual(ALL);
  });

  test("everything, when the other run is another user's", async () => {
    const bob = await api.makeUser();
    await run();
    const other = await ran(parameters, salted(), "finished", { user: bob });
    expect(other.steps).toEqual(ALL);
  });

  test.each([
    ["touched", (id: string) => fixture.touch(id, SUM)],
    ["changed", (id: string) => fixture.append(id, SUM, "x")],
    ["removed", (id: string) => fixture.remove(id, SUM)],
  ])("a job with an output %s in the other run", async (_what, change) => {
    const first = await run();
    await change(first.id);
    const second = await run();
    expect(second.steps).toEqual(["sum sum"]);
    expect(await fixture.contentOf(second.id, "outputs/made.txt")).toBe(RESULT);
  });

  test("everything, when the files of the other run are gone", async () => {
    const first = await run();
    await rm(path.dirname(await fixture.fileOf(first.id, "main.cwl")), { recursive: true });
    expect((await run()).steps).toEqual(ALL);
  });

  test("one of two tasks that are equal, and each has the files", async () => {
    const twice = { ...parameters, files: [parameters.files[0], parameters.files[0]] };
    const first = await run(twice);
    expect(first.steps).toEqual(["count a.txt", "count a.txt", "report made.txt", "sum sum"]);
    const second = await run(twice);
    expect(second.steps).toEqual([]);
    expect(await fixture.contentOf(second.id, "outputs/made.txt")).toBe("Counts!\n2\n2\n");
  });

  test("a third sample, when another run has two of the same command", async () => {
    const list = (length: number) => ({ ...parameters, files: Array(length).fill(parameters.files[0]) });
    const sampling = edited("count.cwl", "wc -c", "head -c 8 /dev/urandom | od -An -tx8; wc -c");
    await run(list(2), sampling);
    const second = await run(list(3), sampling);
    expect(second.steps).toEqual(["count a.txt", "report made.txt", "sum sum"]);
    const sampled = (await fixture.contentOf(second.id, SUM)).match(/[0-9a-f]{16}/g);
    expect([sampled?.length, new Set(sampled).size]).toEqual([3, 3]);
    // A restart finds the samples of its own tasks.
    expect((await restart(second.id)).steps).toEqual([]);
  });
});

test("the plan of a restart tells what it would take over from another run", async () => {
  await run({ ...parameters, title: "Sums" });
  const { id } = await run({ ...parameters, title: "Counts" });
  await fixture.put(id, { "data/b.txt": "b2\n" });
  await run(parameters, { ...files, "data/b.txt": "b2\n" });
  const again = await restart(id);
  expect(again.steps).toEqual([]);
  expect(again.plan.map(({ verdict }) => verdict)).toEqual(Array(5).fill("taken-over"));
});
