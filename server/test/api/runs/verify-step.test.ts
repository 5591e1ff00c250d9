import { rm, writeFile } from "node:fs/promises";
import { afterAll, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { maybeRun } from "#store/runs/runs";
import { T } from "../../support/run-rows.ts";
import { reuseFixture, type Specification } from "../../support/scenarios/reuse-fixture.ts";

/** Verifications of one step of a run, whose jobs really ran. */
const fixture = await reuseFixture();
const { api, db, ada, ran, fileOf, step, restart, ranNow } = fixture;
const url = await api.listen();
afterAll(() => fixture.close());

interface Reply {
  state: string;
  step: string | null;
  outputs: { name: string; verdict: string; note: string | null }[];
  first_difference: { steps: string[]; files: string[] } | null;
  cause: { step: string; state: string; repetitions: object[] } | null;
}

function analysis(...commands: readonly string[]): Specification {
  return {
    inputs: { files: ["data/in.txt"], directories: ["code"] },
    workflow: {
      type: "serial",
      specification: { steps: commands.map((command, n) => step(`part${n}`, command)) },
    },
    outputs: { files: ["last.txt"] },
  } as Specification;
}

const post = (id: string, place: string, payload: object) =>
  api.inject({ method: "POST", url: `/api/workflows/${id}/${place}?${T(ada)}`, payload });
const lookAt = async (id: string) =>
  (await api.inject(`/api/workflows/${id}/verification?${T(ada)}`)).json<Reply>();

/** Verifies a step and waits for the end of the repetition. */
async function verified(id: string, name: string): Promise<Reply> {
  const started = await post(id, "verify", { step: name });
  expect([started.statusCode, started.body]).toEqual([201, expect.any(String)]);
  const { repetition } = started.json<{ repetition: { workflow_id: string } }>();
  await fixture.untilOver(repetition.workflow_id, "finished");
  return lookAt(id);
}

async function refusal(id: string, name: string): Promise<unknown[]> {
  const reply = await post(id, "verify", { step: name });
  return [reply.statusCode, reply.json<{ message: string }>().message];
}

/** A command whose output is another one at each execution. */
const COUNT = `echo x >> ${fixture.folder}/count; wc -l < ${fixture.folder}/count`;

test("a step is repeated alone, and all files of the step are compared", async () => {
  const id = await ran(
    analysis("cat data/in.txt > a", "cat a > b; mkdir -p out; cat b b > out/c", "cat b > last.txt"),
  );
  const reply = await verified(id, "part1");
  expect(await ranNow()).toEqual(["part1"]);
  expect(reply).toMatchObject({ state: "identical", step: "part1", first_difference: null });
  expect(reply.outputs.map(({ name, verdict }) => [name, verdict])).toEqual([
    ["b", "identical"],
    ["out/c", "identical"],
  ]);
});

test("the search for a cause repeats no earlier step", async () => {
  const id = await ran(analysis("cat data/in.txt > a", `cat a > b; (${COUNT}) >> b`, "cat b > last.txt"));
  expect(await verified(id, "PART1")).toMatchObject({
    state: "different",
    first_difference: { steps: ["part1"], files: ["b"] },
    cause: { step: "part1", state: "open" },
  });
  await ranNow();
  const started = await post(id, "verification/repetitions", {});
  await fixture.untilOver(started.json<{ workflow_id: string }>().workflow_id, "finished");
  expect(await ranNow()).not.toContain("part0");
  expect((await lookAt(id)).cause!.repetitions).toHaveLength(3);
});

test("a finished step of a failed run can be verified", async () => {
  const id = await ran(analysis("cat data/in.txt > a", "false"), "failed");
  expect(await verified(id, "part0")).toMatchObject({ state: "identical", step: "part0" });
  expect(await refusal(id, "part1")).toEqual([409, expect.stringContaining("part1 has not finished.")]);
});

test("a file of one run alone differs, and a file that a later step wrote too is unknown", async () => {
  const id = await ran(analysis(`mkdir out; touch out/$$(${COUNT}); echo a > b`, "echo more >> b"));
  const reply = await verified(id, "part0");
  expect(reply.outputs.map(({ name, verdict }) => [name.replace(/\d+/, "N"), verdict])).toEqual([
    ["out/N", "different"],
    ["out/N", "different"],
    ["b", "unknown"],
  ]);
});

test("an unknown step is refused, and a step after changed files", async () => {
  const id = await ran(analysis("cat data/in.txt > a", "cat a > b", "cat b > last.txt"));
  expect(await refusal(id, "fit")).toEqual([
    409,
    expect.stringContaining("no job of it ran. The steps with jobs: part0, part1, part2."),
  ]);
  await writeFile(await fileOf(id, "a"), "changed\n");
  expect(await refusal(id, "part1")).toEqual([
    409,
    expect.stringContaining("the files of part0 before it are not as the run left them: a has changed since"),
  ]);
  await rm(await fileOf(id, "data/in.txt"));
  expect(await refusal(id, "part0")).toEqual([409, expect.stringContaining("data/in.txt (gone)")]);
});

test("a step is refused after a later run in the workspace, and without a recorded file", async () => {
  const id = await ran(analysis("cat data/in.txt > a", "cat a > last.txt"));
  await restart(id);
  expect(await refusal(id, "part1")).toEqual([
    409,
    expect.stringContaining(".1.1 ran later in its workspace"),
  ]);
  const without = await ran(analysis("true"));
  expect(await refusal(without, "part0")).toEqual([
    409,
    expect.stringContaining("no file is recorded that it wrote"),
  ]);
});

test("reprise verify --step prints the name of the step", async () => {
  const id = await ran(analysis("cat data/in.txt > a", "cat a > last.txt"));
  const name = `${(await maybeRun(db, id))!.name}.1`;
  const again = name.replace(/1$/, "2");
  const cli = fakeCli({ environment: { REPRISE_SERVER: url, REPRISE_TOKEN: ada.token } });
  expect([await runCli(["verify", name, "--step", "part1"], cli), cli.printed, cli.errors]).toEqual([
    0,
    [
      `${again} repeats the step part1 of ${name}.`,
      "identical  last.txt",
      `Verified: 1 output of the step part1 of ${name} came out identical in ${again}.`,
    ],
    [],
  ]);
});

test("a budget of time refuses longer runs, and bounds the repetitions of the step", async () => {
  const id = await ran(analysis(`sleep 1.1; (${COUNT}) > last.txt`));
  const early = await post(id, "verify", { budget_s: 1 });
  expect([early.statusCode, early.json<{ message: string }>().message]).toEqual([
    409,
    expect.stringMatching(/does not fit into 1 s, because it took 1\.\d s\. Verify one of its steps/),
  ]);
  await verified(id, "part0");
  const look = async (query: string) => {
    const reply = await api.inject(`/api/workflows/${id}/verification?${T(ada)}${query}`);
    return reply.json<Reply & { cause: { sentence: string } }>().cause;
  };
  expect(await look("&budget_s=3")).toMatchObject({
    state: "unknown",
    sentence: expect.stringContaining("the budget is used up"),
  });
  expect(await look("&budget_s=3600")).toMatchObject({ state: "open" });
});

test("reprise verify refuses a wrong budget", async () => {
  const cli = fakeCli({ environment: { REPRISE_SERVER: url, REPRISE_TOKEN: ada.token } });
  await runCli(["verify", "w1", "--budget", "9"], cli);
  expect(cli.errors).toEqual([
    "The budget 9 is neither a number of repetitions from 0 to 8 nor a time such as 90min (s, min, h, d).",
  ]);
});

test("the plan lists the times of the steps, and the obstacles of a single step", async () => {
  const id = await ran(analysis("cat data/in.txt > a", "sleep 0.2; cat a > b", "true"));
  const plan = async (query: string) => {
    const reply = await api.inject(`/api/workflows/${id}/verification/plan?${T(ada)}${query}`);
    return [reply.statusCode, reply.json<object>()];
  };
  const [, whole] = (await plan("")) as [number, { steps: { name: string }[] }];
  expect([whole.steps.length, whole.steps[0]!.name]).toEqual([3, "part1"]);
  expect(await plan("&step=part1")).toEqual([
    200,
    expect.objectContaining({ step: "part1", refusal: null, jobs: 1 }),
  ]);
  await writeFile(await fileOf(id, "a"), "changed\n");
  expect(await plan("&step=part1")).toMatchObject([
    200,
    { refusal: expect.stringContaining("a has changed since") },
  ]);
  expect(await plan("&step=fit")).toMatchObject([
    409,
    { message: expect.stringContaining("no job of it ran") },
  ]);
  const name = `${(await maybeRun(db, id))!.name}.1`;
  const cli = fakeCli({ environment: { REPRISE_SERVER: url, REPRISE_TOKEN: ada.token } });
  expect(await runCli(["verify", name, "--plan", "--step", "part0"], cli)).toBe(0);
  expect(cli.printed[0]).toMatch(/^The step part0 of w\d+\.1 took \S+ s \(1 job, /);
  expect(await runCli(["verify", name, "--plan"], cli)).toBe(1);
  expect(cli.printed.at(-1)).toMatch(/^A step can be verified alone, with --step: part1 \(\S+ s\), part/);
});
