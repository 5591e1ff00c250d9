import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HAS_SLURM, sharedSlurm } from "#backends/slurm/slurm-fixture";
import { client, type RealServer, startRealServer, temporaryFolder } from "../support/real-server.ts";

const JOBS = 2000;
const HOUR_MS = 3_600_000;

/** A scatter whose tasks add a line each to one file. */
const documentOf = (counted: string) => `
cwlVersion: v1.2
class: Workflow
requirements: {ScatterFeatureRequirement: {}}
inputs: {numbers: "int[]"}
outputs: {}
steps:
  count:
    scatter: number
    in: {number: numbers}
    out: []
    run:
      class: CommandLineTool
      baseCommand: [bash, -c, 'echo "$0" >> ${counted}']
      inputs: {number: {type: int, inputBinding: {position: 1}}}
      outputs: {}
`;

describe.runIf(HAS_SLURM)("a scatter of 2,000 tasks on Slurm", () => {
  const slurm = sharedSlurm();
  let data: Awaited<ReturnType<typeof temporaryFolder>>;
  let server: RealServer;
  const start = async () => {
    server = await startRealServer(data.folder, {
      ...slurm().environment,
      REPRISE_BACKENDS: "slurm",
      REPRISE_MAX_CLUSTER_JOBS: "300",
      REPRISE_MAX_OUTSTANDING: "2000",
    });
  };

  beforeAll(async () => {
    data = await temporaryFolder();
    await start();
  });
  afterAll(async () => {
    await server?.stop();
    await data?.remove();
  });

  test(
    "runs each task once, although the server and the daemon of a node are killed",
    { timeout: HOUR_MS },
    async () => {
      const counted = path.join(data.folder, "counted");
      const lines = () => (existsSync(counted) ? readFileSync(counted, "utf8").trim().split("\n") : []);
      const reach = async (count: number) => {
        await expect.poll(() => lines().length, { timeout: HOUR_MS, interval: 200 }).toBeGreaterThan(count);
      };
      const numbers = Array.from({ length: JOBS }, (_, index) => index);
      const document = { workflow: { type: "cwl", file: "main.cwl" }, inputs: { parameters: { numbers } } };
      const { body } = await client(server.url).call(
        "POST",
        "workflows",
        JSON.stringify(document),
        "&workflow_name=many",
      );
      const run = String(body["workflow_id"]);
      await client(server.url).upload(run, "main.cwl", documentOf(counted));
      expect(await client(server.url).setStatus(run, "start")).toMatchObject({ status: 200 });
      await reach(100);
      await server.kill();
      await start();
      await reach(500);
      slurm().kill("slurmd-n2");
      slurm().up();
      expect(await client(server.url).ended(run)).toMatchObject({ status: "finished" });
      const seen = lines().map(Number);
      expect(seen).toHaveLength(JOBS);
      expect(new Set(seen).size).toBe(JOBS);
      await expect.poll(() => slurm().run("squeue", "--noheader")).toBe("");
    },
  );
});
