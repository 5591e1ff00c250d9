import { afterAll, beforeAll, expect, test } from "vitest";
import { client, type RealServer, startRealServer, temporaryFolder } from "../support/real-server.ts";

/** Each job counts the running jobs, including itself, after a pause. */
const counting = (pause: string) =>
  `mkdir -p ../live; touch ../live/$$; ${pause}; ls ../live | wc -l >> ../counts; rm ../live/$$`;
const A_MOMENT = "sleep 0.3";
const UNTIL_THREE_RUN = "until [ $(ls ../live | wc -l) -gt 2 -o -e ../counts ]; do sleep 0.05; done";
const JOBS = 8;

const specificationOf = (pause: string) => ({
  inputs: { parameters: { numbers: Array.from({ length: JOBS }, (_, index) => index) } },
  workflow: {
    type: "yadage",
    specification: {
      stages: [
        {
          name: "count",
          dependencies: { dependency_type: "jsonpath_ready", expressions: ["init"] },
          scheduler: {
            scheduler_type: "multistep-stage",
            parameters: { number: { step: "init", output: "numbers" } },
            scatter: { method: "zip", parameters: ["number"] },
            step: {
              process: { process_type: "string-interpolated-cmd", cmd: `: {number}; ${counting(pause)}` },
              environment: { environment_type: "localproc-env" },
              publisher: { publisher_type: "frompar-pub", outputmap: { number: "number" } },
            },
          },
        },
      ],
    },
  },
});

let folder: string;
let remove: () => Promise<void>;
let server: RealServer;

const serve = async (most: number) => {
  server = await startRealServer(folder, {}, "--cores", "16", "--max-outstanding", String(most));
  return client(server.url);
};

beforeAll(async () => void ({ folder, remove } = await temporaryFolder()));
afterAll(async () => {
  await server.stop();
  await remove();
});

async function started(api: ReturnType<typeof client>, pause: string): Promise<string> {
  const specification = JSON.stringify(specificationOf(pause));
  const { body } = await api.call("POST", "workflows", specification, "&workflow_name=w");
  const id = body["workflow_id"] as string;
  expect(await api.setStatus(id, "start")).toMatchObject({ status: 200 });
  return id;
}

/** Returns the highest number of concurrent jobs. */
async function mostAtOnce(api: ReturnType<typeof client>, id: string): Promise<number> {
  expect(await api.ended(id)).toMatchObject({ status: "finished" });
  const counts = (await api.download(id, "counts")).text.trim().split("\n").map(Number);
  expect(counts).toHaveLength(JOBS);
  return Math.max(...counts);
}

test("--max-outstanding bounds the jobs of a run, also under a later server with another bound", async () => {
  const first = await serve(2);
  const bounded = await started(first, A_MOMENT);
  await expect.poll(async () => (await first.download(bounded, "counts")).status).toBe(200);
  await server.stop();
  const second = await serve(1000);
  expect(await mostAtOnce(second, bounded)).toBeLessThanOrEqual(2);
  expect(await mostAtOnce(second, await started(second, UNTIL_THREE_RUN))).toBeGreaterThan(2);
});
