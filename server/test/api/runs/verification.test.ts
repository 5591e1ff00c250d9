import { rm, writeFile } from "node:fs/promises";
import { afterAll, describe, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { maybeRun } from "#store/runs/runs";
import { changeStatus, createRun, refusalRows, T } from "../../support/run-rows.ts";
import { reuseFixture, type Specification } from "../../support/scenarios/reuse-fixture.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";

/** Verifications of runs whose jobs really ran. */
const fixture = await reuseFixture();
const { api, db, ada, ran, created, upload, fileOf, step, restart, ranNow } = fixture;
const url = await api.listen();
afterAll(() => fixture.close());

interface Reply {
  workflow_name: string;
  repetition: { workflow_id: string; workflow_name: string; status: string };
  state: string;
  tolerance: number;
  outputs: {
    name: string;
    verdict: string;
    rule: string | null;
    difference: number | null;
    note: string | null;
  }[];
  first_difference: { steps: string[]; files: string[]; has_other_image: boolean } | null;
}

function analysis(commands: readonly string[], outputs: readonly string[]): Specification {
  return {
    inputs: { files: ["data/in.txt"], directories: ["code"] },
    workflow: {
      type: "serial",
      specification: { steps: commands.map((command, n) => step(`part${n}`, command)) },
    },
    outputs: { files: outputs },
  } as Specification;
}

const ask = (id: string) => api.inject({ method: "POST", url: `/api/workflows/${id}/verify?${T(ada)}` });
const lookAt = (id: string, query = "") => api.inject(`/api/workflows/${id}/verification?${T(ada)}${query}`);

/** Verifies a run and waits for the end of the repetition. */
async function verified(id: string, status = "finished"): Promise<Reply> {
  const started = await ask(id);
  expect([started.statusCode, started.body]).toEqual([201, expect.any(String)]);
  await fixture.untilOver(started.json<Reply>().repetition.workflow_id, status);
  const reply = await lookAt(id);
  expect([reply.statusCode, reply.body]).toEqual([200, expect.any(String)]);
  return reply.json<Reply>();
}

const verdicts = ({ outputs }: Reply) => outputs.map(({ name, verdict, rule }) => [name, verdict, rule]);
/** A command with a new output at each execution. */
const COUNT = `echo x >> ${fixture.folder}/count; wc -l < ${fixture.folder}/count`;

describe("POST verify", async () => {
  const run = await created(analysis(["true"], []));
  const place = (address: string) => `/api/workflows/${address}/verify`;
  await runScenarios(api, await refusalRows(api, "POST", run, place));
});

describe("GET verification", async () => {
  const run = await created(analysis(["true"], []));
  const place = (address: string) => `/api/workflows/${address}/verification`;
  await runScenarios(api, await refusalRows(api, "GET", run, place));
});

describe("POST repetitions", async () => {
  const run = await created(analysis(["true"], []));
  const place = (address: string) => `/api/workflows/${address}/verification/repetitions`;
  await runScenarios(api, await refusalRows(api, "POST", run, place));

  test("is refused if no step differs, or if the budget is used up", async () => {
    const again = async (id: string, payload: object) => {
      const reply = await api.inject({ method: "POST", url: `${place(id)}?${T(ada)}`, payload });
      return [reply.statusCode, reply.json<{ message: string }>().message];
    };
    const same = await ran(analysis(["echo a > b"], ["b"]));
    await verified(same);
    expect(await again(same, {})).toEqual([
      409,
      expect.stringContaining("because the verification is identical."),
    ]);
    const other = await ran(analysis([`${COUNT} > b`], ["b"]));
    await verified(other);
    expect(await again(other, { repetitions: 2 })).toEqual([
      409,
      expect.stringContaining("because the repetitions have come to a result."),
    ]);
  });
});

test("the repetitions of a step lead back to the verification", async () => {
  const id = await ran(analysis([`${COUNT} > b`], ["b"]));
  await verified(id);
  const place = `/api/workflows/${id}/verification/repetitions?${T(ada)}`;
  const started = await api.inject({ method: "POST", url: place, payload: {} });
  const repeating = started.json<{ workflow_id: string }>().workflow_id;
  await fixture.untilOver(repeating, "finished");
  const reply = (await lookAt(repeating)).json<Reply>();
  expect(reply).toEqual((await lookAt(id)).json());
  expect(reply).toMatchObject({ state: "different", first_difference: { steps: ["part0"] } });
});

describe("a verification", () => {
  test("of a deterministic run finds every output identical, and repeats every step", async () => {
    const id = await ran(analysis(["mkdir out; cat data/in.txt > out/a", "cat out/a > b"], ["out/a", "b"]));
    const reply = await verified(id);
    expect(await ranNow()).toEqual(["part0", "part1"]);
    expect(reply).toMatchObject({ state: "identical", first_difference: null });
    expect(verdicts(reply)).toEqual([
      ["b", "identical", null],
      ["out/a", "identical", null],
    ]);
    expect([reply.workflow_name, reply.repetition.workflow_name]).toEqual([
      expect.stringMatching(/^w\d+\.1$/),
      expect.stringMatching(/^w\d+\.2$/),
    ]);
  });

  test("names the original in the note of the repetition, which leads back to the same result", async () => {
    const id = await ran(analysis(["echo a > b"], ["b"]));
    const { repetition, workflow_name: name } = await verified(id);
    const note = await api.inject(`/api/workflows/${repetition.workflow_id}/notes?${T(ada)}`);
    expect(note.json()).toMatchObject({ note: `Repeats ${name} to verify its outputs.` });
    const reply = await lookAt(repetition.workflow_id);
    expect(reply.json()).toMatchObject({
      workflow_name: name,
      repetition: { workflow_id: repetition.workflow_id },
    });
  });

  test("keeps the parameters of the start", async () => {
    const specification = analysis(["echo ${n} > b"], ["b"]);
    specification.inputs.parameters = { n: 1 };
    const { id } = await created(specification);
    await api.inject({
      method: "POST",
      url: `/api/workflows/${id}/start?${T(ada)}`,
      payload: { input_parameters: { n: 7 } },
    });
    await fixture.untilOver(id, "finished");
    expect(await verified(id)).toMatchObject({ state: "identical" });
  });

  test("finds the first step that differs, and not the steps that carry the difference on", async () => {
    const id = await ran(
      analysis(["echo a > a", `cat a > b; (${COUNT}) >> b`, "cat b > c", "cat a > d"], ["a", "c", "d"]),
    );
    const reply = await verified(id);
    expect(reply.state).toBe("different");
    expect(verdicts(reply)).toEqual([
      ["c", "different", null],
      ["a", "identical", null],
      ["d", "identical", null],
    ]);
    expect(reply.first_difference).toEqual({ steps: ["part1"], files: ["b"], has_other_image: false });
  });

  test("names the rule by which outputs are equivalent, and the largest difference of numbers", async () => {
    const number = `test $$(${COUNT}) -lt 3 && echo 0.30000000000000004 || echo 0.3`;
    await rm(`${fixture.folder}/count`, { force: true });
    const id = await ran(
      analysis(
        [`echo "[$$(${COUNT}; echo ,0)]" > n.json`, `echo "x,$$(${number})" > n.csv`],
        ["n.csv", "n.json"],
      ),
    );
    await rm(`${fixture.folder}/count`);
    await writeFile(`${fixture.folder}/count`, "x\nx\n");
    const reply = await verified(id);
    expect(verdicts(reply)).toEqual([
      ["n.json", "different", null],
      ["n.csv", "equivalent", "csv-numbers"],
    ]);
    expect(reply.outputs[1]!.difference).toBeLessThan(1e-15);
    const exact = await lookAt(id, "&tolerance=0");
    expect(exact.json<Reply>().outputs.map(({ verdict }) => verdict)).toEqual(["different", "different"]);
  });

  test("reports outputs made by only one of the runs", async () => {
    const id = await ran(analysis([`mkdir out; touch out/$$(${COUNT})`], ["out"]));
    const reply = await verified(id);
    expect(reply.outputs.map(({ verdict, note }) => [verdict, note])).toEqual([
      ["different", "The repetition did not make the file."],
      ["different", "Only the repetition made the file."],
    ]);
  });

  test("reports the failure of the repetition", async () => {
    const id = await ran(analysis([`test ! -e ${fixture.folder}/fail; echo a > b`], ["b"]));
    const failing = analysis([`test ! -e ${fixture.folder}/fail && echo a > b`], ["b"]);
    const second = await ran(failing);
    await writeFile(`${fixture.folder}/fail`, "");
    expect(await verified(second, "failed")).toMatchObject({ state: "not-repeated", outputs: [] });
    expect(await verified(id)).toMatchObject({ state: "identical" });
  });

  test("does not take a file for the recorded one that was replaced after the run", async () => {
    const id = await ran(analysis([`echo "[$$(${COUNT})]" > n.json`], ["n.json"]));
    await writeFile(await fileOf(id, "n.json"), "[0]");
    const reply = await verified(id);
    expect(verdicts(reply)).toEqual([["n.json", "different", null]]);
    expect(reply.outputs[0]!.note).toContain("replaced or removed after the run");
  });

  test("compares with the record if a restart has replaced the outputs", async () => {
    const specification = analysis(["echo ${n} > b"], ["b"]);
    specification.inputs.parameters = { n: 1 };
    const id = await ran(specification);
    await restart(id, { input_parameters: { n: 2 } });
    expect(await verified(id)).toMatchObject({ state: "identical" });
  });

  test("is kept: replaced files change neither verdicts nor the first difference", async () => {
    const id = await ran(
      analysis([`${COUNT} > a`, `echo "[1, $$(date +%s)]" | tr -d 0-9 > n.json`], ["a", "n.json"]),
    );
    const reply = await verified(id);
    expect(reply).toMatchObject({ state: "different", first_difference: { steps: ["part0"], files: ["a"] } });
    for (const run of [id, reply.repetition.workflow_id]) await rm(await fileOf(run, "a"));
    expect((await lookAt(id)).json()).toEqual(reply);
    await changeStatus(api, ada, reply.repetition.workflow_id, "deleted");
    const later = (await lookAt(id)).json<Reply>();
    expect([later.state, later.outputs, later.first_difference]).toEqual([
      "different",
      reply.outputs,
      reply.first_difference,
    ]);
  });

  test("keeps the tolerance of the start, and is stored for this tolerance alone", async () => {
    const number = `test $$(${COUNT}) -lt 2 && echo 1.001 || echo 1.002`;
    await rm(`${fixture.folder}/count`, { force: true });
    const id = await ran(analysis([`echo "x,$$(${number})" > n.csv`], ["n.csv"]));
    const started = await api.inject({
      method: "POST",
      url: `/api/workflows/${id}/verify?${T(ada)}`,
      payload: { tolerance: 0.01 },
    });
    await fixture.untilOver(started.json<Reply>().repetition.workflow_id, "finished");
    expect((await lookAt(id, "&tolerance=0")).json()).toMatchObject({ state: "different", tolerance: 0 });
    expect((await lookAt(id)).json()).toMatchObject({ state: "equivalent", tolerance: 0.01 });
  });

  test("leaves out files that were put among the inputs after the start", async () => {
    const id = await ran(analysis(["ls code > b"], ["b"]));
    await upload(id, "code/more.sh", "x");
    expect(await verified(id)).toMatchObject({ state: "identical" });
  });
});

describe("a verification is refused", () => {
  const refusal = async (id: string) => {
    const reply = await ask(id);
    return [reply.statusCode, reply.json<{ message: string }>().message];
  };

  test("unless the run has finished and recorded outputs", async () => {
    const { id } = await created(analysis(["true"], ["b"]));
    expect(await refusal(id)).toEqual([
      409,
      expect.stringContaining("cannot be verified, because it is created"),
    ]);
    const failed = await ran(analysis(["false"], ["b"]), "failed");
    expect(await refusal(failed)).toEqual([409, expect.stringContaining("because it is failed")]);
    const without = await ran(analysis(["true"], ["b"]));
    expect(await refusal(without)).toEqual([
      409,
      expect.stringContaining("no declared output of it was recorded"),
    ]);
  });

  test("if an input has changed or is gone", async () => {
    const id = await ran(analysis(["echo a > b"], ["b"]));
    await upload(id, "data/in.txt", "changed\n");
    expect(await refusal(id)).toEqual([
      409,
      expect.stringContaining("because an input is not as recorded: data/in.txt (changed)."),
    ]);
    await rm(await fileOf(id, "data/in.txt"));
    await rm(await fileOf(id, "code/a.sh"));
    expect(await refusal(id)).toEqual([
      409,
      expect.stringContaining("2 inputs are not as recorded: code/a.sh (gone), data/in.txt (gone)."),
    ]);
  });

  test("if the files are gone", async () => {
    const id = await ran(analysis(["echo a > b"], ["b"]));
    await changeStatus(api, ada, id, "deleted");
    expect(await refusal(id)).toEqual([409, expect.stringContaining("because it is deleted")]);
  });
});

describe("the plan of a verification", async () => {
  const run = await created(analysis(["true"], []));
  const place = (address: string) => `/api/workflows/${address}/verification/plan`;
  await runScenarios(api, await refusalRows(api, "GET", run, place));

  test("says how long the run took, which step took longest, and why it cannot be verified", async () => {
    const plan = async (id: string) => (await api.inject(`${place(id)}?${T(ada)}`)).json<object>();
    const id = await ran(analysis(["true", "sleep 0.3; echo a > b"], ["b"]));
    expect(await plan(id)).toMatchObject({
      refusal: null,
      jobs: 2,
      longest_step: { name: "part1", wall_ms: expect.any(Number) },
      notes: [expect.stringContaining("from the network is not recorded")],
    });
    await upload(id, "data/in.txt", "changed\n");
    expect(await plan(id)).toMatchObject({
      refusal: expect.stringContaining("an input is not as recorded: data/in.txt (changed)"),
    });
    expect(await plan(run.id)).toMatchObject({ refusal: expect.stringContaining("it is created"), jobs: 0 });
  });
});

describe("reprise verify", () => {
  async function reprise(...args: string[]) {
    const cli = fakeCli({ environment: { REPRISE_SERVER: url, REPRISE_TOKEN: ada.token } });
    const code = await runCli(args, cli);
    return { code, printed: cli.printed, errors: cli.errors };
  }
  const nameOf = async (id: string) => `${(await maybeRun(db, id))!.name}.1`;

  test("waits for the repetition and lists the outputs", async () => {
    const name = await nameOf(await ran(analysis(["echo a > b; echo c > d"], ["b", "d"])));
    const again = name.replace(/1$/, "2");
    const conclusion = `Verified: 2 outputs of ${name} came out identical in ${again}.`;
    expect(await reprise("verify", name)).toEqual({
      code: 0,
      printed: [`${again} repeats ${name}.`, "identical  b", "identical  d", conclusion],
      errors: [],
    });
    expect((await reprise("verify", name, "--last")).printed.at(-1)).toBe(conclusion);
    const json = await reprise("verify", name, "--last", "--json");
    expect(JSON.parse(json.printed[0]!)).toMatchObject({ workflow_name: name, state: "identical" });
  });

  test("names the first step that differs, and has exit code 1", async () => {
    const name = await nameOf(await ran(analysis(["echo a > a", COUNT.replace(/$/, " > b")], ["a", "b"])));
    const { code, printed } = await reprise("verify", name, "--budget", "0");
    expect([code, ...printed.slice(1)]).toEqual([
      1,
      "different  b",
      "identical  a",
      "The first step that differs is part1: b.",
      "The cause is unknown: the budget is used up, or too small for a proof.",
      `Not verified: 1 of 2 outputs of ${name} came out different in ${name.replace(/1$/, "2")}.`,
    ]);
  });

  test("prints the plan, with exit code 1 if the run cannot be verified", async () => {
    const name = await nameOf(await ran(analysis(["echo a > b"], ["b"])));
    const { code, printed } = await reprise("verify", name, "--plan");
    expect([code, printed]).toEqual([
      0,
      [
        expect.stringMatching(/^w\d+\.1 took \S+ s \(1 job, \S+ s of processor time\)\. A repetition/),
        expect.stringContaining("it is repeated at most 8 times: part0, the longest, for at most"),
        expect.stringContaining("from the network"),
      ],
    ]);
    const without = await nameOf(await ran(analysis(["true"], ["b"])));
    expect((await reprise("verify", without, "--plan")).code).toBe(1);
  });

  test("refuses a tolerance that is not a number, and a run that was never verified", async () => {
    const run = await createRun(api, ada, "never", analysis(["true"], ["b"]));
    expect((await reprise("verify", run.name, "--tolerance", "much")).errors).toEqual([
      "The tolerance much is not a number from 0 to 1, such as 1e-9.",
    ]);
    expect((await reprise("verify", "never", "--last")).errors).toEqual([
      "Workflow never.1 has not been verified. Verify it: reprise verify never.1.",
    ]);
  });
});
