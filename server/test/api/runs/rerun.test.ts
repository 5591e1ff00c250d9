import { chmod, lstat, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { jobsOfRun } from "#store/jobs/jobs";
import { maybeRun } from "#store/runs/runs";
import { type Specification, reuseFixture } from "../../support/scenarios/reuse-fixture.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";
import { changeStatus, refusalRows, T } from "../../support/run-rows.ts";

/** A rerun leaves the earlier run its files, and reuses the still valid results in a workspace of its own. */
const fixture = await reuseFixture();
const { api, db, ada, ran, chain, created, upload, restart, fileOf, ranNow, untilOver } = fixture;
afterAll(() => fixture.close());

const withOutputs = (): Specification => Object.assign(chain(), { outputs: { directories: ["out"] } });

async function ask(id: string, payload: object = {}, headers: Record<string, string> = {}) {
  return api.inject({ method: "POST", url: `/api/workflows/${id}/rerun?${T(ada)}`, payload, headers });
}

/** Reruns a run. Returns the new run and its executed steps, which must equal the earlier plan. */
async function rerun(id: string, payload: object = {}, status = "finished") {
  const plan = await fixture.planOf(id, payload);
  const reply = await ask(id, payload);
  expect([reply.statusCode, reply.body]).toEqual([201, expect.any(String)]);
  const again = reply.json<{ workflow_id: string; workflow_name: string }>();
  await untilOver(again.workflow_id, status);
  const steps = await ranNow();
  expect(steps).toEqual(plan.jobs.filter((job) => job.verdict === "runs").map((job) => job.name));
  return { id: again.workflow_id, name: again.workflow_name, steps };
}

const read = async (id: string, name: string) => readFile(await fileOf(id, name), "utf8");
const filesIn = async (id: string) => {
  const folder = await fileOf(id, ".");
  const all = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = all.filter((entry) => !entry.isDirectory());
  return files.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name))).toSorted();
};
const workspacesLeft = () => readdir(api.operations.workspaces.root);

describe("a rerun", () => {
  test("has the next number and its own files, and does not repeat valid steps", async () => {
    const id = await ran(withOutputs());
    const again = await rerun(id, { input_parameters: { n: 2 } });
    expect([again.name, again.steps]).toEqual([expect.stringMatching(/^w\d+\.2$/), ["fit", "plot"]]);
    expect([await read(id, "out/plot"), await read(again.id, "out/plot")]).toEqual([
      "one\ntwo\n1\n",
      "one\ntwo\n2\n",
    ]);
    expect((await jobsOfRun(db, again.id)).map((job) => job.reason)).toEqual([
      "taken-over",
      "exited",
      "exited",
    ]);
  });

  test("of an entirely valid run runs nothing, and can be rerun and restarted like any other", async () => {
    const id = await ran();
    const second = await rerun(id);
    const third = await rerun(second.id, { input_parameters: { n: 3 } });
    expect([second.steps, third.steps]).toEqual([[], ["fit", "plot"]]);
    expect((await restart(third.id)).steps).toEqual([]);
    expect((await restart(third.id, { input_parameters: { n: 4 } })).steps).toEqual(["fit", "plot"]);
    expect(await read(id, "out/fit")).toBe("one\ntwo\n1\n");
  });

  test("leaves behind the files of the commands that run again", async () => {
    const id = await ran(withOutputs());
    const specification = withOutputs();
    specification.workflow.specification.steps[1]!.commands = ["exit 3"];
    const reply = await ask(id, { reana_specification: specification });
    const again = reply.json<{ workflow_id: string }>().workflow_id;
    await untilOver(again, "failed");
    expect(await filesIn(again)).toEqual(["code/a.sh", "data/in.txt", "out/prepared"]);
    await ranNow();
  });

  test("that runs everything begins with the inputs and uploads alone", async () => {
    const id = await created(withOutputs()).then((run) => run.id);
    await upload(id, "undeclared.txt", "x");
    await changeStatus(api, ada, id, "start");
    await untilOver(id, "finished");
    await ranNow();
    const specification = withOutputs();
    specification.workflow.specification.steps.splice(
      0,
      3,
      fixture.step("look", "find . -type f ! -name seen | sort > seen"),
    );
    const again = await rerun(id, { reana_specification: specification, fresh: true });
    expect(await read(again.id, "seen")).toBe("./code/a.sh\n./data/in.txt\n./undeclared.txt\n");
  });

  test("runs everything if an input has changed", async () => {
    const id = await ran();
    await upload(id, "data/in.txt", "another\n");
    expect((await rerun(id)).steps).toEqual(["prepare", "fit", "plot"]);
  });

  test("copies permissions, times and links, and follows none", async () => {
    const id = await ran();
    await chmod(await fileOf(id, "code/a.sh"), 0o4755);
    await symlink("/etc/passwd", await fileOf(id, "link"));
    await mkdir(await fileOf(id, "empty/inner"), { recursive: true });
    const again = await rerun(id);
    const [before, after] = [
      await stat(await fileOf(id, "code/a.sh")),
      await stat(await fileOf(again.id, "code/a.sh")),
    ];
    expect([after.mode & 0o7777, Math.round(after.mtimeMs)]).toEqual([0o755, Math.round(before.mtimeMs)]);
    expect(await readlink(await fileOf(again.id, "link"))).toBe("/etc/passwd");
    expect((await lstat(await fileOf(again.id, "empty/inner"))).isDirectory()).toBe(true);
  });

  test("keeps the logs that it took over when the earlier run is deleted, and no longer", async () => {
    const id = await ran();
    const first = (await jobsOfRun(db, id)).map((job) => job.id);
    const second = await rerun(id);
    const third = await rerun(second.id);
    const { jobLogs } = api.operations;
    const remove = jobLogs.remove.bind(jobLogs);
    const gone = new Set<string>();
    Object.assign(jobLogs, {
      remove: (jobs: Parameters<typeof remove>[0]) => {
        for (const job of jobs) gone.add(job.split("/")[1]!);
        return remove(jobs);
      },
    });
    const removed = () => first.filter((job) => gone.has(job));
    await changeStatus(api, ada, id, "deleted");
    await changeStatus(api, ada, second.id, "deleted");
    expect(removed()).toEqual([]);
    expect((await restart(third.id, { input_parameters: { n: 9 } })).steps).toEqual(["fit", "plot"]);
    for (const run of await db.selectFrom("runs").select(["id", "name", "status"]).execute()) {
      const isOurs = run.name === (await maybeRun(db, id))!.name && run.status !== "deleted";
      if (isOurs) await changeStatus(api, ada, run.id, "deleted");
    }
    expect(removed()).toEqual(first);
    Object.assign(jobLogs, { remove });
  });
});

describe("a rerun is refused and leaves nothing", () => {
  test("while the run is live, or another of its workspace", async () => {
    const blocked = chain();
    const go = path.join(fixture.folder, "go");
    blocked.workflow.specification.steps[0]!.commands = [`while [ ! -e ${go} ]; do sleep 0.01; done`];
    const id = await ran();
    const payload = { restart: true, reana_specification: blocked };
    const start = await api.inject({ method: "POST", url: `/api/workflows/${id}/start?${T(ada)}`, payload });
    const live = start.json<{ workflow_id: string }>().workflow_id;
    const before = await workspacesLeft();
    const replies = [await ask(id), await ask(live)];
    expect(replies.map((reply) => reply.statusCode)).toEqual([409, 409]);
    expect(replies.map((reply) => reply.json<{ message: string }>().message)).toEqual([
      expect.stringMatching(/could not be rerun because w\d+\.1\.1, which shares its workspace, is /),
      expect.stringMatching(/^Workflow w\d+\.1\.1 could not be rerun because it is /),
    ]);
    expect(await workspacesLeft()).toEqual(before);
    await writeFile(go, "");
    await untilOver(live, "finished");
    await ranNow();
  });

  test("of a run that was not started, and of a deleted one", async () => {
    const { id } = await created(chain());
    expect((await ask(id)).json()).toMatchObject({
      message: expect.stringContaining("has not been started") as string,
    });
    await changeStatus(api, ada, id, "deleted");
    expect((await ask(id)).json()).toMatchObject({
      message: expect.stringContaining("was deleted") as string,
    });
  });

  test("with a parameter that is not declared, and an unknown step", async () => {
    const id = await ran();
    const before = await workspacesLeft();
    expect((await ask(id, { input_parameters: { nobody: 1 } })).statusCode).toBe(400);
    expect((await ask(id, { from_step: "nobody" })).statusCode).toBe(400);
    expect(await workspacesLeft()).toEqual(before);
  });

  test("when a file cannot be copied", async () => {
    const id = await ran();
    await writeFile(Buffer.concat([Buffer.from(await fileOf(id, "x")), Buffer.from([0xff])]), "");
    const before = await workspacesLeft();
    expect((await ask(id)).json()).toMatchObject({
      message: expect.stringContaining("is not UTF-8") as string,
    });
    expect(await workspacesLeft()).toEqual(before);
  });

  test("when a run began in the workspace while it was copied", async () => {
    const id = await ran();
    const { workspaces } = api.operations;
    const copy = workspaces.copy.bind(workspaces);
    const before = (await workspacesLeft()).length;
    Object.assign(workspaces, {
      copy: async (...args: Parameters<typeof copy>) => {
        const copied = await copy(...args);
        await restart(id);
        return copied;
      },
    });
    const reply = await ask(id);
    Object.assign(workspaces, { copy });
    expect([reply.statusCode, reply.json()]).toMatchObject([
      409,
      { message: expect.stringContaining("ran in its workspace while it was copied") as string },
    ]);
    expect((await workspacesLeft()).length).toBe(before);
  });
});

test("the same key makes one run, also when both requests are under way", async () => {
  const id = await ran();
  const headers = { "idempotency-key": "one-rerun" };
  const [one, other] = await Promise.all([ask(id, {}, headers), ask(id, {}, headers)]);
  const third = await ask(id, {}, headers);
  const ids = [one, other, third].map((reply) => reply.json<{ workflow_id: string }>().workflow_id);
  expect(new Set(ids).size).toBe(1);
  await untilOver(ids[0]!, "finished");
});

describe("POST rerun", async () => {
  const mine = await created(chain());
  await runScenarios(
    api,
    await refusalRows(api, "POST", mine, (address) => `/api/workflows/${address}/rerun`),
  );
});
