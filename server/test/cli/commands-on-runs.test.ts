import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import type { CliContext } from "#cli/context";
import { runCli } from "#cli/program";
import { apiFixture } from "../support/api-fixture.ts";
import { createRun, serial, untilStatus } from "../support/run-rows.ts";

/** Tests of commands that show runs or delete many runs. */
const api = await apiFixture();
const ada = await api.makeUser();
const SERVER = { REPRISE_SERVER: await api.listen(), REPRISE_TOKEN: ada.token };
afterAll(() => api.close());

async function reprise(args: readonly string[], parts: Partial<CliContext> = {}) {
  const cli = fakeCli({ environment: SERVER, ...parts });
  const code = await runCli(args, cli);
  return { code, printed: cli.printed, errors: cli.errors };
}

test("logs show what the jobs printed and why the run failed; --engine adds the engine's lines", async () => {
  const run = await createRun(api, ada, "broken", serial(["false"]));
  const index = api.backend.started.length;
  await reprise(["start", "broken"]);
  api.backend.end(await api.backend.startedJob(index), { exitCode: 1 });
  await untilStatus(api, ada, run.id, "failed");
  const why = 'Step "s0" failed: its command exited with code 1.';
  const { code, printed, errors } = await reprise(["logs", "broken"]);
  expect([code, printed, errors]).toEqual([0, ["==> s0 <==", "log of false\n"], [why]]);
  const all = await reprise(["logs", "broken", "--engine"]);
  expect(all.printed.slice(0, 3)).toEqual(["==> s0 <==", "log of false\n", "==> engine <=="]);
  expect(all.printed[3]).toContain("Publishing step:0, cmd: false, total steps 1 to MQ");
});

test("logs of a run without jobs, or without any of a step, say so", async () => {
  const run = await createRun(api, ada, "silent", serial(["true"]));
  expect((await reprise(["logs", "silent"])).errors).toEqual(["silent has no jobs yet."]);
  const index = api.backend.started.length;
  await reprise(["start", "silent"]);
  api.backend.end(await api.backend.startedJob(index), { exitCode: 0 });
  await untilStatus(api, ada, run.id, "finished");
  const { code, printed, errors } = await reprise(["logs", "silent", "--step", "fit", "--step", "plot"]);
  expect([code, printed, errors]).toEqual([0, [], ["silent has no jobs of the step fit or plot."]]);
});

test("list and status show how long a run took, and on a terminal a mark", async () => {
  const run = await createRun(api, ada, "timed", serial(["true"]));
  const index = api.backend.started.length;
  await reprise(["start", "timed"]);
  api.backend.end(await api.backend.startedJob(index), { exitCode: 0 });
  await untilStatus(api, ada, run.id, "finished");
  const row = /^timed\.1 +finished +1\/1 +\d+\.\d s +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
  expect((await reprise(["list", "timed"])).printed[1]).toMatch(row);
  const environment = { ...SERVER, NO_COLOR: "1" };
  expect((await reprise(["list", "timed"], { isTerminal: true, environment })).printed[1]).toContain(
    "✓ finished",
  );
  expect((await reprise(["status", "timed"], { isTerminal: true })).printed[1]).toContain(
    "\u001b[32m✓\u001b[39m finished",
  );
});

test("status shows the pace of a large run, and the time that its planned jobs take", async () => {
  const run = await createRun(api, ada, "paced", serial(Array.from({ length: 20 }, () => "true")));
  const first = api.backend.started.length;
  await reprise(["start", "paced"]);
  const end = async (index: number, endedAtMs: number) =>
    api.backend.end(await api.backend.startedJob(first + index), {
      startedAtMs: endedAtMs,
      endedAtMs,
    });
  const paceOf = async () => {
    const reply = await api.inject(`/api/workflows/paced/status?access_token=${ada.token}`);
    return reply.json<{ pace?: { jobs: number; over_ms: number } }>().pace;
  };
  const startedMs = Date.now() - 600_000;
  for (let index = 0; index < 5; index += 1) await end(index, startedMs + index);
  await api.backend.startedJob(first + 5);
  expect(await paceOf()).toBeUndefined();
  await end(5, Date.now());
  await api.backend.startedJob(first + 6);
  expect(await paceOf()).toMatchObject({ jobs: 5 });
  expect((await reprise(["status", "paced"])).printed.at(-1)).toMatch(
    /^Pace: 0\.5 jobs a minute, about 28 min \d+ s for 14 planned jobs\.$/,
  );
  const { id } = run;
  await reprise(["stop", "paced"]);
  await untilStatus(api, ada, id, "stopped");
  expect(await paceOf()).toBeUndefined();
});

test("a refusal of the server, and its warnings, name the line", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-placed-"));
  const file = path.join(folder, "reana.yaml");
  const create = async (...lines: string[]) => {
    await writeFile(file, lines.join("\n"));
    return reprise(["create", "-n", "placed", "-f", file]);
  };
  const steps = "  specification: {steps: [{commands: [1]}]}";
  expect(await create("inputs: {}", "workflow:", "  type: serial", steps)).toMatchObject({
    code: 1,
    errors: [
      `The specification is malformed at workflow.specification.steps.0.commands.0 (${file}, line 4, column 39): ` +
        "1 is not of type 'string'",
    ],
  });
  expect(await create("workflow:", "  type: serial", steps.replace("1", "ls"))).toMatchObject({
    code: 0,
    // REANA requires an environment; a run here does not.
    errors: [],
  });
  await rm(folder, { recursive: true });
});

test("a note is written, printed and removed; tags are added, removed, listed, and found by list", async () => {
  for (const name of ["noted", "plain"]) await createRun(api, ada, name);
  const printed = async (...args: string[]) => (await reprise(args)).printed;
  expect(await reprise(["note", "noted"])).toEqual({
    code: 0,
    printed: [],
    errors: ["noted.1 has no note."],
  });
  expect(await printed("note", "noted", "First line.\nSecond.")).toEqual(["Noted on noted.1."]);
  expect(await printed("note", "noted.1")).toEqual(["First line.\nSecond."]);
  expect((await reprise(["note", "noted", ""])).errors).toEqual(["noted.1 has no note."]);
  expect((await reprise(["tag", "noted"])).errors).toEqual(["noted.1 has no tags."]);
  expect(await printed("tag", "noted", "paper", "2026-B")).toEqual(["2026-B", "paper"]);
  expect(await printed("tag", "noted", "good", "--remove", "2026-B")).toEqual(["good", "paper"]);
  expect(JSON.parse((await printed("tag", "noted", "--json"))[0]!)).toMatchObject({
    tags: ["good", "paper"],
  });
  expect((await printed("list", "--tag", "paper")).map((line) => line.split(" ")[0])).toEqual([
    "NAME",
    "noted.1",
  ]);
  expect(await reprise(["tag", "noted", "-x"])).toMatchObject({ code: 2 });
});

describe("commands that destroy", () => {
  const asking = (reply: string) => {
    const questions: string[] = [];
    const ask = async (question: string) => {
      questions.push(question);
      return reply;
    };
    return { questions, ask };
  };

  test("delete asks at a terminal, and says if a run was deleted before", async () => {
    await createRun(api, ada, "one");
    const { questions, ask } = asking("n");
    const refused = await reprise(["delete", "one"], { ask });
    expect([refused.code, refused.errors, questions]).toEqual([
      1,
      ["Nothing was deleted."],
      ["Delete one.1 with its files? [y/N] "],
    ]);
    expect((await reprise(["delete", "one", "-y"], { ask })).printed).toEqual(["Deleted one.1."]);
    const again = await reprise(["delete", "one.1"], { ask });
    expect([again.code, again.printed]).toEqual([0, ["one.1 was deleted already."]]);
    expect(questions).toHaveLength(1);
  });

  /** Makes the file and the secret that the commands delete. */
  const keep = async () => {
    const url = `/api/workflows/kept/workspace?file_name=a.txt&access_token=${ada.token}`;
    await api.inject({ method: "POST", url, payload: "x" });
    await reprise(["secrets", "add", "KEY", "--overwrite"], { readInput: async () => "value" });
  };

  beforeAll(async () => void (await createRun(api, ada, "kept")));

  test.each([
    [["rm", "-w", "kept", "a.txt"], "Delete a.txt from kept.1? [y/N] "],
    [["prune", "kept"], "Delete 1 file (1 B) of kept.1? [y/N] "],
    [["secrets", "delete", "KEY"], "Delete KEY? Later runs do not receive it. [y/N] "],
  ])("%j asks at a terminal, and changes nothing without a yes", async (args, question) => {
    await keep();
    const { questions, ask } = asking("no");
    const refused = await reprise(args, { ask });
    expect([refused.code, refused.errors, questions]).toEqual([1, ["Nothing was deleted."], [question]]);
    const { code } = await reprise([...args, "--yes"], { ask });
    expect([code, questions.length]).toEqual([0, 1]);
  });
});

describe("delete --all-runs", () => {
  const makeThree = async (name: string) => {
    for (let count = 0; count < 3; count += 1) await createRun(api, ada, name);
  };

  test("asks at a terminal, and deletes nothing without a yes", async () => {
    await makeThree("many");
    const questions: string[] = [];
    const answering = (answer: string) => ({
      ask: async (question: string) => {
        questions.push(question);
        return answer;
      },
    });
    for (const answer of ["", "n", "nope"]) {
      const { code, errors } = await reprise(["delete", "many.2", "--all-runs"], answering(answer));
      expect([code, errors]).toEqual([1, ["Nothing was deleted."]]);
    }
    expect(questions[0]).toBe("Delete 3 runs of many, with their files? [y/N] ");
    expect((await reprise(["list", "many"])).printed).toHaveLength(1 + 3);
    const { printed } = await reprise(["delete", "many", "--all-runs"], answering("y"));
    expect(printed).toEqual(["Deleted 3 runs of many."]);
  });

  test("asks nothing with --yes or without a terminal", async () => {
    const ask = () => Promise.reject(new Error("asked"));
    await makeThree("more");
    const { printed } = await reprise(["delete", "more", "--all-runs", "--yes"], { ask });
    expect(printed).toEqual(["Deleted 3 runs of more."]);
    await makeThree("script");
    expect((await reprise(["delete", "script", "--all-runs"])).printed).toEqual([
      "Deleted 3 runs of script.",
    ]);
  });
});
