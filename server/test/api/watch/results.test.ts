import { rm, writeFile } from "node:fs/promises";
import { afterAll, describe, expect, test } from "vitest";
import { resultsOfRuns } from "#store/runs/run-results";
import { type Specification, reuseFixture } from "../../support/scenarios/reuse-fixture.ts";
import { changeStatus, refusalRows, T } from "../../support/run-rows.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";

/**
 * The outputs of a run are recorded at its end. Every view of the outputs names a restart that replaced them.
 */
const fixture = await reuseFixture();
const { api, db, ada, ran, created, restart, fileOf, step, untilOver } = fixture;
afterAll(() => fixture.close());

function analysis(outputs: object = { files: ["out.txt"], directories: ["plots"] }): Specification {
  const steps = [
    step("make", "mkdir -p plots; echo result ${n} > out.txt; echo plot > plots/a"),
    step("show", "cat out.txt > seen.txt"),
  ];
  return {
    inputs: { parameters: { n: 1 } },
    workflow: { type: "serial", specification: { steps } },
    outputs,
  } as Specification;
}

interface ResultsReply {
  workflow_name: string;
  is_recorded: boolean;
  files: { name: string; bytes: number; sha256: string; replaced_by: string | null; is_removed: boolean }[];
  note: string | null;
}

const get = async <Reply>(path: string) =>
  (await api.inject(`/api/workflows/${path}?${T(ada)}`)).json<Reply>();
const resultsOf = (id: string) => get<ResultsReply>(`${id}/results`);
const noteOf = async (id: string) => (await get<{ results_note?: string }>(`${id}/status`)).results_note;

describe("the results of a run", () => {
  test("are listed with the runs, and short results with text until a restart replaces the results", async () => {
    const id = await ran(analysis());
    const outputs = async () => {
      const query = `workflow_id_or_name=${id}&include_outputs=true&size=1&${T(ada)}`;
      const { items } = (await api.inject(`/api/workflows?${query}`)).json<{
        items: { outputs: object[] }[];
      }>();
      return items[0]!.outputs;
    };
    const sha256 = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
    expect(await outputs()).toEqual([
      { name: "out.txt", bytes: 9, sha256, is_current: true, text: "result 1" },
      { name: "plots/a", bytes: 5, sha256, is_current: true, text: "plot" },
    ]);
    await writeFile(await fileOf(id, "out.txt"), "result 2\n");
    await rm(await fileOf(id, "plots/a"));
    expect(await outputs()).toEqual([
      { name: "out.txt", bytes: 9, sha256, is_current: true },
      { name: "plots/a", bytes: 5, sha256, is_current: true },
    ]);
    await restart(id);
    expect(await outputs()).toMatchObject([{ is_current: false }, { is_current: false }]);
  });

  test("are recorded with checksums at the end of the run", async () => {
    const id = await ran(analysis());
    const { files, ...rest } = await resultsOf(id);
    expect(rest).toEqual({
      workflow_id: id,
      workflow_name: expect.stringMatching(/^w\d+\.1$/) as string,
      is_recorded: true,
      is_cut: false,
      note: null,
    });
    expect(files).toEqual([
      // printf 'result 1\n' | sha256sum
      {
        name: "out.txt",
        bytes: 9,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        replaced_by: null,
        is_removed: false,
      },
      {
        name: "plots/a",
        bytes: 5,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        replaced_by: null,
        is_removed: false,
      },
    ]);
    expect(await noteOf(id)).toBeUndefined();
  });

  test("are absent without declared outputs, and in a live run", async () => {
    const id = await ran(analysis({}));
    expect((await resultsOf(id)).is_recorded).toBe(false);
    expect((await resultsOf((await created(analysis())).id)).is_recorded).toBe(false);
    expect((await resultsOfRuns(db, [id])).size).toBe(0);
  });

  test("are recorded for a failed run too", async () => {
    const specification = analysis();
    specification.workflow.specification.steps[1]!.commands = ["exit 3"];
    const id = await ran(specification, "failed");
    expect((await resultsOf(id)).files.map(({ name }) => name)).toEqual(["out.txt", "plots/a"]);
  });
});

describe("a restart of a finished run", () => {
  const WARNING =
    /^(w\d+\.1) is finished; a restart replaces its results in the shared workspace\. Use reprise rerun \1 to keep both\.$/;

  test("warns before and after, and is not refused", async () => {
    const id = await ran(analysis());
    expect(await get(`${id}/restart-plan`)).toMatchObject({
      warning: expect.stringMatching(WARNING) as string,
    });
    const payload = { restart: true };
    const begin = { method: "POST", url: `/api/workflows/${id}/start?${T(ada)}`, payload } as const;
    const reply = await api.inject(begin);
    expect([reply.statusCode, reply.json()]).toMatchObject([
      200,
      { warning: expect.stringMatching(WARNING) as string },
    ]);
    await untilOver(reply.json<{ workflow_id: string }>().workflow_id, "finished");
    const url = `/api/workflows/${id}/status?status=start&${T(ada)}`;
    const put = await api.inject({ method: "PUT", url, payload });
    expect([put.statusCode, put.json()]).toMatchObject([
      200,
      { warning: expect.stringMatching(WARNING) as string },
    ]);
    await untilOver(put.json<{ workflow_id: string }>().workflow_id, "finished");
  });

  test("does not warn if the run failed, or was not started before", async () => {
    const specification = analysis();
    specification.workflow.specification.steps[1]!.commands = ["exit 3"];
    const id = await ran(specification, "failed");
    expect(await get(`${id}/restart-plan`)).toMatchObject({ warning: null });
    const { id: fresh } = await created(analysis());
    const reply = await api.inject({ method: "POST", url: `/api/workflows/${fresh}/start?${T(ada)}` });
    expect(reply.json()).not.toHaveProperty("warning");
    await untilOver(fresh, "finished");
  });
});

describe("a restart with another parameter", () => {
  test("replaces results, which status and results say of the earlier run alone", async () => {
    const id = await ran(analysis());
    const again = (await restart(id, { input_parameters: { n: 2 } })).id;
    const [before, after] = [await resultsOf(id), await resultsOf(again)];
    const note = `1 of ${before.workflow_name}'s 2 results were replaced by ${after.workflow_name}: out.txt.`;
    expect([before.note, await noteOf(id), after.note, await noteOf(again)]).toEqual([
      note,
      note,
      null,
      undefined,
    ]);
    expect(before.files.map((file) => file.replaced_by)).toEqual([after.workflow_name, null]);
  });

  test("is no equal run in a comparison", async () => {
    const id = await ran(analysis());
    const again = (await restart(id, { input_parameters: { n: 2 } })).id;
    const name = (await resultsOf(id)).workflow_name;
    const compared = await get<Record<string, unknown>>(`${id}/comparison/${again}`);
    expect(compared).toMatchObject({
      files_basis: "recorded",
      notes: [`1 of ${name}'s 2 results were replaced by ${name}.1: out.txt.`],
      files: {
        added: 0,
        removed: 0,
        changed: 1,
        same: 1,
        differences: [{ name: "out.txt", change: "changed" }],
      },
    });
    const { workspace_listing: listing } = await get<{ workspace_listing: string }>(`${id}/diff/${again}`);
    expect(JSON.parse(listing)).toContain(`Files ${name}/out.txt and ${name}.1/out.txt differ\n`);
  });

  test("can be compared by records with a run of another workspace", async () => {
    const [id, other] = [await ran(analysis()), await ran(analysis())];
    await restart(id, { input_parameters: { n: 2 } });
    expect(await get(`${id}/comparison/${other}`)).toMatchObject({
      files_basis: "recorded",
      files: { changed: 0, same: 2 },
    });
  });

  test("is reported if it no longer declares outputs", async () => {
    const id = await ran(analysis());
    const { outputs: _, ...bare } = analysis() as Specification & { outputs: object };
    await restart(id, { reana_specification: bare, input_parameters: { n: 3 } });
    expect((await resultsOf(id)).files.map((file) => file.replaced_by !== null)).toEqual([true, false]);
  });

  test("is reported if it failed and removed a result", async () => {
    const id = await ran(analysis());
    const specification = analysis();
    specification.workflow.specification.steps[1]!.commands = ["rm out.txt; exit 3"];
    await restart(id, { reana_specification: specification }, "failed");
    expect(await noteOf(id)).toMatch(
      /^1 of w\d+\.1's 2 results were replaced by w\d+\.1\.1: out\.txt \(removed\)\.$/,
    );
  });

  test("says that the files may be another run's if nothing was recorded", async () => {
    const id = await ran(analysis({}));
    const again = (await restart(id, { input_parameters: { n: 2 } })).id;
    expect(await noteOf(id)).toMatch(/^w\d+\.1 shares its workspace with w\d+\.1\.1, which ran later: /);
    expect(await get(`${id}/comparison/${again}`)).toMatchObject({
      files: null,
      files_missing: expect.stringMatching(
        /share one workspace, and no results of w\d+\.1 were recorded\.$/,
      ) as string,
    });
  });
});

test("a restart without changes leaves the results to both runs", async () => {
  const id = await ran(analysis());
  const again = (await restart(id, { fresh: true })).id;
  expect([await noteOf(id), await noteOf(again)]).toEqual([undefined, undefined]);
  expect(await get(`${id}/comparison/${again}`)).toMatchObject({ files: { changed: 0, same: 2 }, notes: [] });
});

test("a restart that is live is reported", async () => {
  const { id } = await created(analysis());
  await changeStatus(api, ada, id, "start");
  await untilOver(id, "finished");
  const folder = fixture.folder;
  const blocked = analysis();
  blocked.workflow.specification.steps[0]!.commands = [`while [ ! -e ${folder}/go ]; do sleep 0.01; done`];
  const url = `/api/workflows/${id}/start?${T(ada)}`;
  const reply = await api.inject({
    method: "POST",
    url,
    payload: { restart: true, reana_specification: blocked },
  });
  await expect
    .poll(() => noteOf(id))
    .toMatch(/^w\d+\.1\.1 is running in the workspace of w\d+\.1 and may replace/);
  await writeFile(`${folder}/go`, "");
  await untilOver(reply.json<{ workflow_id: string }>().workflow_id, "finished");
  expect(await noteOf(id)).toBeUndefined();
  await rm(await fileOf(id, "out.txt"));
});

describe("GET results", async () => {
  const mine = await created(analysis());
  const urlOf = (address: string) => `/api/workflows/${address}/results`;
  await runScenarios(api, await refusalRows(api, "GET", mine, urlOf));
});
