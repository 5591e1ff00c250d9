import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { engineLog, runEvents } from "#store/events/run-events";
import { REMOVED_FILES } from "#workflow/run/event-kinds";
import { ALL, reuseFixture, stepsOf } from "../../support/scenarios/reuse-fixture.ts";
import { changeStatus, createRun, statusOf, T } from "../../support/run-rows.ts";

/** Runs that keep their outputs only: the files removed at the end, and the steps repeated by a restart. */
const fixture = await reuseFixture();
const { api, db, ada, ran, restart, created, upload, untilOver, ranNow } = fixture;

beforeEach(() => ranNow());
afterAll(() => fixture.close());

const keeping = () => ({
  ...fixture.chain(),
  outputs: { files: ["out/plot"] },
  workspace: { keep: "outputs" },
});

async function namesIn(id: string): Promise<string[]> {
  const reply = await api.inject(`/api/workflows/${id}/workspace?${T(ada)}`);
  return reply
    .json<{ items: { name: string }[] }>()
    .items.map(({ name }) => name)
    .toSorted();
}

const KEPT = ["code/a.sh", "data/in.txt", "out/plot"];

describe("a run that keeps only outputs", () => {
  test("removes made files after the finish, except outputs, and records the removal in the events", async () => {
    const run = await created(keeping());
    await upload(run.id, "notes.txt", "not declared");
    await changeStatus(api, ada, run.id, "start");
    await untilOver(run.id, "finished");
    expect(await namesIn(run.id)).toEqual([...KEPT, "notes.txt"].toSorted());
    const removed = (await runEvents(db, run.id)).find(({ kind }) => kind === REMOVED_FILES);
    expect(removed?.body).toMatchObject({ files: 2, paths: ["out/fit", "out/prepared"] });
    expect(await engineLog(db, run.id)).toMatch(
      /INFO \| Removing 2 intermediate files \(\d+ Bytes\), because the run keeps its outputs only\./,
    );
  });

  test("spares the file that an output links to", async () => {
    const specification = keeping();
    stepsOf(specification)[2]!.commands[0] += "; mv out/plot out/real; ln -s real out/plot";
    expect(await namesIn(await ran(specification, "finished"))).toEqual([...KEPT, "out/real"]);
  });

  test("keeps all files after a failure, and the restart removes the files", async () => {
    const specification = keeping();
    stepsOf(specification)[1]!.commands[0] += "; test ${n} != 3";
    specification.inputs.parameters!.n = 3;
    const id = await ran(specification, "failed");
    expect(await namesIn(id)).toEqual(["code/a.sh", "data/in.txt", "out/fit", "out/prepared"]);
    const again = await restart(id, { input_parameters: { n: 1 } });
    expect(again.steps).toEqual(["fit", "plot"]);
    expect(await namesIn(id)).toEqual(KEPT);
  });

  test("keeps everything if a user has changed files while it was running", async () => {
    const specification = keeping();
    stepsOf(specification)[2]!.commands[0] += "; until [ -e go ]; do sleep 0.01; done";
    const run = await created(specification);
    await changeStatus(api, ada, run.id, "start");
    await expect.poll(() => statusOf(api, ada, run.id)).toBe("running");
    await upload(run.id, "go", "");
    await untilOver(run.id, "finished");
    expect(await namesIn(run.id)).toEqual([
      "code/a.sh",
      "data/in.txt",
      "go",
      "out/fit",
      "out/plot",
      "out/prepared",
    ]);
    expect(await engineLog(db, run.id)).toContain(
      "Intermediate files are kept: files were changed by a user",
    );
  });

  test.each([
    ["all", 3],
    ["outputs", 1],
  ])("takes the option of its start before the specification: %s", async (keep, made) => {
    const run = await created({ ...keeping(), ...(keep === "outputs" && { workspace: {} }) });
    await changeStatus(api, ada, run.id, "start", { operational_options: { keep } });
    await untilOver(run.id, "finished");
    expect((await namesIn(run.id)).filter((name) => name.startsWith("out/"))).toHaveLength(made);
  });

  test.each([
    [{ keep: "some" }, { files: ["out"] }, 'options.keep is "some"; it must be one of: all, outputs.'],
    [{ keep: "outputs" }, {}, "The run is to keep its outputs only, and the specification declares none"],
  ])("is refused if that makes no sense: %j", async (operational_options, outputs, message) => {
    const run = await createRun(api, ada, "refused", { ...fixture.chain(), outputs });
    const reply = await changeStatus(api, ada, run.id, "start", { operational_options });
    expect([reply.statusCode, reply.json<{ message: string }>().message]).toEqual([
      400,
      expect.stringContaining(message),
    ]);
  });
});

describe("a restart after the removal", () => {
  test("makes again what a command that runs may need, and says why", async () => {
    const id = await ran(keeping());
    const again = await restart(id, { input_parameters: { n: 2 } });
    expect(again.steps).toEqual(ALL);
    expect(again.fields).toEqual(["files out/prepared", "files out/fit"].slice(0, again.fields!.length));
    expect(again.reason).toMatch(
      /^The intermediate files that it made were removed after w\d+\.1 \(out\/prepared\), because that run kept its outputs only \(keep: outputs\)\. A command that runs again may need them\.$/,
    );
    expect(await namesIn(id)).toEqual(KEPT);
  });

  test("runs no job without a change, and the next restart still knows the removed files", async () => {
    const id = await ran(keeping());
    const same = await restart(id);
    expect(same.steps).toEqual([]);
    expect(await namesIn(id)).toEqual(KEPT);
    const again = await restart(same.id, { input_parameters: { n: 2 } });
    expect([again.steps, again.reason]).toEqual([ALL, expect.stringContaining("were removed after")]);
  });

  test("does not take a file of a user for a removed one", async () => {
    const id = await ran(keeping());
    await upload(id, "out/prepared", "mine");
    const again = await restart(id);
    expect([again.steps, again.reason]).toEqual([
      ALL,
      expect.stringMatching(/^out\/prepared has changed since w/),
    ]);
  });
});
