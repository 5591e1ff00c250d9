import { readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { maybeRun } from "#store/runs/runs";
import {
  reuseFixture,
  type Specification,
  type Step,
  stepsOf,
} from "../../support/scenarios/reuse-fixture.ts";
import { changeStatus, T } from "../../support/run-rows.ts";

const fixture = await reuseFixture();
const { api, db, ada, step, created, ran, fileOf, restart } = fixture;

beforeEach(() => fixture.ranNow());
afterAll(() => fixture.close());

describe("a run whose samples are independent", () => {
  const sample = (name: string, command: string): Step => ({ ...step(name, command), on_failure: "finish" });

  /** Three samples, and a step that needs all three. */
  function samples(): Specification {
    const steps = [
      step("prepare", "mkdir out; cat data/in.txt > out/prepared"),
      sample("one", "cat out/prepared > out/one"),
      sample("two", "echo begun > out/half; cat out/prepared > out/two"),
      sample("three", "cat out/prepared > out/three"),
      step("merge", "cat out/one out/two out/three > out/merged"),
    ];
    return {
      inputs: { files: ["data/in.txt"] },
      workflow: { type: "serial", specification: { steps } },
    };
  }

  /** Returns the status of each step in the graph. */
  async function progressOf(id: string): Promise<unknown[]> {
    const reply = await api.inject({ url: `/api/workflows/${id}/graph?${T(ada)}` });
    return reply.json<{ nodes: { status: string }[] }>().nodes.map(({ status }) => status);
  }

  const failing = samples();
  stepsOf(failing)[2]!.commands = stepsOf(failing)[2]!.commands.map((command) => `${command}; exit 3`);

  test("ends as failed with a list, and a restart runs only failed and dependent steps", async () => {
    const run = await created(failing);
    await changeStatus(api, ada, run.id, "start");
    await fixture.untilOver(run.id, "failed");
    expect(await fixture.ranNow()).toEqual(["prepare", "one", "two", "three"]);
    expect(await maybeRun(db, run.id)).toMatchObject({
      failure:
        'Step "two" failed: its command exited with code 3. ' +
        'Step "merge" and what follows did not run, because they may need what failed.',
      failedJob: "2.0",
    });
    expect(await progressOf(run.id)).toEqual(["finished", "finished", "failed", "finished", "skipped"]);
    const still = await restart(run.id, {}, "failed");
    expect(still.steps).toEqual(["two"]);
    const fixed = await restart(still.id, { reana_specification: samples() });
    expect(fixed.steps).toEqual(["two", "merge"]);
    expect((await readFile(await fileOf(fixed.id, "out/merged"), "utf8")).split("\n")).toHaveLength(4);
    expect((await restart(fixed.id)).steps).toEqual([]);
  });

  test("runs a sample again whose result was changed by hand, and no other", async () => {
    const id = await ran(samples());
    await writeFile(await fileOf(id, "out/one"), "mine");
    expect((await restart(id)).steps).toEqual(["one", "merge"]);
  });

  test("with two writers of a file, runs both again", async () => {
    const specification = samples();
    for (const name of ["one", "two"]) {
      const one = stepsOf(specification).find((other) => other.name === name)!;
      one.commands = one.commands.map((command) => `${command}; echo ${name} >> out/table`);
    }
    const bad = structuredClone(specification);
    stepsOf(bad)[2]!.commands = stepsOf(bad)[2]!.commands.map((command) => `${command}; exit 3`);
    const id = await ran(bad, "failed");
    expect((await restart(id, { reana_specification: specification })).steps).toEqual([
      "one",
      "two",
      "merge",
    ]);
  });
});
