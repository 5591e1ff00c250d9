import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { createRetention } from "#operations/files/retention";
import { createRunSweep } from "#operations/runs/old-runs";
import { claimRule, dueRules } from "#store/workspaces/retention";
import { apiFixture, type FixtureUser } from "../../support/api-fixture.ts";
import { changeStatus, type CreatedRun, createRun, serial, T, untilStatus } from "../../support/run-rows.ts";
import { workspaceClient } from "../../support/workspace-client.ts";

/** The preview of upcoming deletions, through the API and `reprise retention`. */
const DAY_MS = 86_400_000;
const keep = { runsMs: 10 * DAY_MS };
const api = await apiFixture({ parts: { runSettings: { keep } } });
const server = await api.listen();
afterAll(() => api.close());
const { db, clock } = api.operations;
const ada = await api.makeUser("ada@example.org");
const { put } = workspaceClient(api, ada);
const admin = `access_token=${api.adminToken}`;
const inDays = (days: number) => ({
  ...api.operations,
  clock: { ...clock, now: () => clock.now() + days * DAY_MS },
});

async function reprise(user: FixtureUser, ...args: readonly string[]) {
  const cli = fakeCli({ environment: { REPRISE_SERVER: server, REPRISE_TOKEN: user.token } });
  const code = await runCli(["retention", ...args], cli);
  return { code, printed: cli.printed, errors: cli.errors };
}

/** Makes a finished run with three files: its rules delete two after three days, and keep the third. */
async function ruledRun(name: string): Promise<CreatedRun> {
  const specification = {
    ...serial(["true"]),
    outputs: { files: ["tmp/kept"] },
    workspace: { retention_days: { "tmp/**": 3 } },
  };
  const run = await createRun(api, ada, name, specification);
  for (const file of ["tmp/one", "tmp/two", "tmp/kept", "log"]) await put(run, file, "12345");
  const index = api.backend.started.length;
  await changeStatus(api, ada, run.id, "start");
  api.backend.end(await api.backend.startedJob(index));
  await untilStatus(api, ada, run.id, "finished");
  return run;
}

const preview = async (days: number) =>
  (await api.inject(`/api/admin/retention?days=${days}&${admin}`)).json();
const extend = (run: CreatedRun, token: string) =>
  api.inject({
    method: "PATCH",
    url: `/api/workflows/${run.id}/retention_rules?access_token=${token}`,
    payload: { extend_days: 30 },
  });
const daysOf = async (run: CreatedRun) => {
  const reply = await api.inject(`/api/workflows/${run.id}/retention_rules?${T(ada)}`);
  return reply.json().retention_rules.map((rule: { retention_days: number }) => rule.retention_days);
};

describe("the preview", () => {
  let run: CreatedRun;
  beforeAll(async () => {
    run = await ruledRun("fit");
  });

  test("names no file due later", async () => {
    expect(await preview(2)).toEqual({ items: [], has_more: false });
    expect((await reprise(api.admin, "preview", "--days", "2")).printed).toEqual([
      "Nothing is deleted within 2 days.",
    ]);
  });

  test("names the files of a rule, and the whole run later, with owner, time and size", async () => {
    const common = { run_id: run.id, run_name: "fit.1", owner_email: ada.email, due: expect.any(String) };
    const [rule, whole] = [
      { ...common, workspace_files: "tmp/**", files: 2, bytes: 10 },
      { ...common, workspace_files: null, files: 4, bytes: 20 },
    ];
    expect(await preview(7)).toEqual({ items: [rule], has_more: false });
    expect(await preview(11)).toEqual({ items: [rule, whole], has_more: false });
    const { printed } = await reprise(api.admin, "preview", "--days", "11");
    expect(printed[0]).toMatch(/^DUE \(UTC\) +OWNER +RUN +ID +DELETES +FILES +SIZE$/);
    expect(printed[2]).toMatch(/ada@example\.org +fit\.1 +[0-9a-f-]{36} +the whole run +4 +20 B$/);
  });

  test("is for the administrator", async () => {
    expect((await reprise(ada, "preview")).errors).toEqual(["Action not permitted."]);
  });

  test("lists the files that the next sweeps delete", async () => {
    expect(await createRetention(inDays(4), "host")()).toBe(1);
    expect((await preview(11)).items).toMatchObject([{ workspace_files: null, files: 2, bytes: 10 }]);
    expect(await createRunSweep(inDays(11), keep.runsMs)()).toBe(1);
    expect((await preview(11)).items).toEqual([]);
  });
});

describe("an extension", () => {
  let run: CreatedRun;
  beforeAll(async () => {
    run = await ruledRun("plot");
  });

  test("is for the owner, and for the administrator by the id of the run", async () => {
    expect((await extend(run, ada.token)).json()).toMatchObject({
      retention_rules: [{ retention_days: 33, status: "active" }],
    });
    expect((await reprise(api.admin, "extend", run.id, "--days", "7")).printed[0]).toMatch(
      /^plot\.1: tmp\/\*\* is deleted 40 days after the end of the run, on \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/,
    );
    expect(await daysOf(run)).toEqual([40]);
    expect((await reprise(api.admin, "extend", "plot.1")).code).toBe(1);
    const bob = await api.makeUser("bob@example.org");
    expect((await extend(run, bob.token)).statusCode).toBe(403);
  });

  test("keeps the files until the sweep", async () => {
    expect(await createRetention(inDays(39), "host")()).toBe(0);
  });

  test("is refused when there is nothing to extend, and while a rule is being applied", async () => {
    const [due] = await dueRules(db, clock.now() + 41 * DAY_MS, { after: "", max: 1 });
    await db
      .insertInto("hosts")
      .values({ id: "busy", name: "busy", seen_at: clock.now() + DAY_MS })
      .execute();
    expect(await claimRule(db, due!, "busy", clock.now() + 41 * DAY_MS)).toBe(true);
    const reply = await extend(run, ada.token);
    expect([reply.statusCode, reply.json().message]).toEqual([
      409,
      "Nothing was extended: plot.1 has no retention rule that is still to be applied.",
    ]);
    expect(await daysOf(run)).toEqual([40]);
  });

  test("takes whole days only", async () => {
    expect((await reprise(ada, "extend", "plot", "--days", "soon")).errors).toEqual([
      "--days soon is not valid: give a whole number such as 30.",
    ]);
    expect((await reprise(ada, "extend", "plot", "--days", "0")).code).toBe(1);
  });
});
