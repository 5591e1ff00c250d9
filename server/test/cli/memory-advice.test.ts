import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { reportOn } from "#app/check-specification";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { apiFixture } from "../support/api-fixture.ts";
import { changeStatus, createRun, T, untilStatus } from "../support/run-rows.ts";

/** Advice about memory limits, from what the steps of a run used: in replies, in `status` and in `validate`. */
const api = await apiFixture();
const ada = await api.makeUser();
const eve = await api.makeUser();
const server = await api.listen();
const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-advice-"));
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true });
});

const MIB = 2 ** 20;
const limited = (...limits: readonly string[]) => {
  const steps = limits.map((limit, index) => ({
    name: `s${index}`,
    environment: "any:1",
    commands: ["true"],
    kubernetes_memory_limit: limit,
  }));
  return { inputs: {}, workflow: { type: "serial", specification: { steps } } };
};

const run = await createRun(api, ada, "fit", limited("8Gi", "1Gi", "256Mi"));
await changeStatus(api, ada, run.id, "start");
for (const [index, peakMib] of [100, 1000, 120].entries()) {
  const id = await api.backend.startedJob(index);
  api.backend.end(id, { usage: { peakBytes: peakMib * MIB } });
}
await untilStatus(api, ada, run.id, "finished");

const TOO_MUCH = 'Step "s0" asks for 8 GiB of memory and used at most 100 MiB: 160Mi would do.';
const TOO_LITTLE = 'Step "s1" used 1000 MiB of its memory limit of 1 GiB: 1536Mi would leave room.';

// Commands are loaded lazily. The import loads two commands before the clocks of the tests start.
await Promise.all([import("#cli/runs/watch/status"), import("#cli/specification/validate")]);

async function reprise(...args: readonly string[]) {
  const cli = fakeCli({
    environment: { REPRISE_SERVER: server, REPRISE_TOKEN: ada.token, PATH: "/bin" },
    checkSpecification: async (...given) => reportOn(...given),
  });
  const code = await runCli(args, cli);
  return { code, printed: cli.printed, errors: cli.errors };
}

test("a job and the usage of its run show the limit beside the peak", async () => {
  const get = async (what: string) =>
    (await api.inject(`/api/workflows/fit/${what}?${T(ada)}`)).json<Record<string, object[]>>();
  expect((await get("jobs"))["items"]).toMatchObject([
    { usage: { peak_bytes: 100 * MIB, memory_limit_bytes: 8192 * MIB } },
    { usage: { peak_bytes: 1000 * MIB, memory_limit_bytes: 1024 * MIB } },
    { usage: { peak_bytes: 120 * MIB, memory_limit_bytes: 256 * MIB } },
  ]);
  const memory = (step: string, limitMib: number, peakMib: number, advice: object | null) => ({
    step,
    limit_bytes: limitMib * MIB,
    peak_bytes: peakMib * MIB,
    is_whole: true,
    advice,
  });
  expect((await get("usage"))["memory"]).toEqual([
    memory("s0", 8192, 100, { limit: "160Mi", limit_bytes: 160 * MIB, message: TOO_MUCH }),
    memory("s1", 1024, 1000, { limit: "1536Mi", limit_bytes: 1536 * MIB, message: TOO_LITTLE }),
    memory("s2", 256, 120, null),
  ]);
});

test("status of an ended run advises other limits", async () => {
  const { printed, errors } = await reprise("status", "fit");
  expect(printed[1]).toContain("finished");
  expect(errors).toEqual([`Advice: ${TOO_MUCH}`, `Advice: ${TOO_LITTLE}`]);
});

test("validate advises other limits, from the run of --history", async () => {
  const file = path.join(folder, "reana.yaml");
  await writeFile(file, JSON.stringify(limited("160Mi", "1Gi", "8Gi")));
  const { code, errors } = await reprise("validate", file, "--history", "fit");
  expect(code).toBe(0);
  expect(errors).toEqual([
    expect.stringMatching(/^Warning: .*reana\.yaml, line 1, column \d+: Step "s1" used 1000 MiB of/),
    expect.stringMatching(/^Warning: .*reana\.yaml, line 1, column \d+: Step "s2" asks for 8 GiB of/),
  ]);
});

test("validate gives no advice without a history, and refuses an unknown one", async () => {
  const file = path.join(folder, "silent.yaml");
  await writeFile(file, JSON.stringify(limited("160Mi")));
  expect((await reprise("validate", file)).errors).toEqual([]);
  expect(await reprise("validate", file, "--history", "nothing")).toMatchObject({ code: 1 });
});

test("the server's check advises the same, and only of runs that the caller may see", async () => {
  const check = (history: string, user: typeof ada) =>
    api.inject({
      method: "POST",
      url: `/api/workflows/validate?history=${history}&${T(user)}`,
      payload: limited("8Gi", "1536Mi", "256Mi"),
    });
  expect((await check("fit", ada)).json()).toMatchObject({
    valid: true,
    errors: [],
    warnings: [
      {
        code: "memory_limit",
        path: "workflow.specification.steps.0.kubernetes_memory_limit",
        message: TOO_MUCH,
      },
    ],
  });
  expect((await check(run.id, eve)).statusCode).toBe(403);
});
