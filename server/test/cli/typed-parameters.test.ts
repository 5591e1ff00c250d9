import { afterAll, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { apiFixture } from "../support/api-fixture.ts";
import { createRun, serial, untilStatus } from "../support/run-rows.ts";

const api = await apiFixture();
const url = await api.listen();
const ada = await api.makeUser();
afterAll(() => api.close());

async function reprise(...args: readonly string[]) {
  const cli = fakeCli({ environment: { REPRISE_SERVER: url, REPRISE_TOKEN: ada.token } });
  const code = await runCli(args, cli);
  return { code, printed: cli.printed, errors: cli.errors };
}

test("--param of start and restart has the type that the specification declares", async () => {
  const specification = serial(["run --verbose=${v} --n=${n}"], { v: false, n: 1 });
  const run = await createRun(api, ada, "typed", specification);
  expect(await reprise("start", "typed", "-p", "v=maybe")).toMatchObject({
    code: 2,
    errors: ['v must be true or false (the specification has false), not "maybe".'],
  });
  expect(await reprise("start", "typed", "-p", "w=1")).toMatchObject({
    code: 2,
    errors: ['The specification declares no parameter "w" under inputs.parameters. It declares: n, v.'],
  });
  expect((await reprise("start", "typed", "-p", "v=true", "-p", "n=2e1")).code).toBe(0);
  api.backend.end(await api.backend.startedJob(0), { exitCode: 0 });
  await untilStatus(api, ada, run.id, "finished");
  expect((await reprise("logs", "typed")).printed).toContain("log of run --verbose=True --n=20\n");
  const { printed } = await reprise("restart", "typed", "--plan", "--json", "-p", "v=false");
  const plan = JSON.parse(printed[0]!) as { jobs: { command: string }[] };
  expect(plan.jobs.map((job) => job.command)).toEqual(["run --verbose=False --n=20"]);
});
