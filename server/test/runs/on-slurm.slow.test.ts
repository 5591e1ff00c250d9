import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HAS_SLURM, sharedSlurm } from "#backends/slurm/slurm-fixture";
import { client, type RealServer, startRealServer, temporaryFolder } from "../support/real-server.ts";

/** Runs of a real server whose jobs go to a real Slurm. Each command adds a line to a file: none may be there twice. */
describe.runIf(HAS_SLURM)("a run on Slurm", () => {
  const slurm = sharedSlurm();
  let data: Awaited<ReturnType<typeof temporaryFolder>>;
  let server: RealServer;

  const start = (environment: Readonly<Record<string, string>> = {}) =>
    startRealServer(data.folder, {
      ...slurm().environment,
      REPRISE_BACKENDS: "slurm,local",
      ...environment,
    });
  const create = async (steps: readonly object[]) => {
    const document = { workflow: { type: "serial", specification: { steps } } };
    const { body } = await call("POST", "workflows", JSON.stringify(document), "&workflow_name=w");
    return String(body["workflow_id"]);
  };
  const call = (...words: Parameters<ReturnType<typeof client>["call"]>) => client(server.url).call(...words);
  const begin = async (run: string) =>
    expect(await client(server.url).setStatus(run, "start")).toMatchObject({ status: 200 });
  const lines = async (run: string, name: string) => {
    const { text } = await client(server.url).download(run, name);
    return text.trim().split("\n");
  };
  const jobs = async (run: string) => String((await call("GET", `workflows/${run}/logs`)).body["logs"]);

  beforeAll(async () => {
    data = await temporaryFolder();
    server = await start();
  });
  afterAll(async () => {
    await server?.stop();
    await data?.remove();
  });

  test("its steps run on the nodes of the cluster, and one that names local on this machine", async () => {
    const run = await create([
      {
        name: "first",
        compute_backend: "slurmcern",
        slurm_partition: "short",
        slurm_time: "5",
        commands: ["echo $$SLURMD_NODENAME $$SLURM_JOB_PARTITION > where; echo printed"],
      },
      { name: "second", commands: ["echo $$SLURMD_NODENAME >> where"] },
      { name: "third", compute_backend: "local", commands: ["echo here$$SLURMD_NODENAME >> where"] },
    ]);
    await begin(run);
    expect(await client(server.url).ended(run)).toMatchObject({ status: "finished" });
    expect(await lines(run, "where")).toEqual([
      expect.stringMatching(/^n[12] short$/),
      expect.stringMatching(/^n[12]$/),
      "here",
    ]);
    const logs = await jobs(run);
    expect(logs).toContain("printed");
    expect(logs).toContain("Slurm");
  });
});
