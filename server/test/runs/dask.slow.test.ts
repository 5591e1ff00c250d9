import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { conformanceEnvironment } from "../support/conformance-environment.ts";
import { snakemakeProgram } from "../support/engines/snakemake.ts";
import { client, type RealServer, startRealServer, temporaryFolder } from "../support/real-server.ts";

const MEAN = readFileSync(path.join(import.meta.dirname, "../../../examples/dask/code/mean.py"), "utf8");
const DASK = { image: "dask", number_of_workers: 2, single_worker_memory: "512Mi", single_worker_threads: 1 };
const COMMAND = "python mean.py 8 1000 > mean.txt";

/** Ends its worker once, and then the task succeeds on the next worker. */
const FRAIL = `
import os
from distributed import Client

def once(marker):
    if not os.path.exists(marker):
        open(marker, "w").close()
        os._exit(3)
    return "survived"

with Client(os.environ["DASK_SCHEDULER_URI"]) as client:
    print(client.submit(once, os.path.abspath("marker")).result())
`;

const CWL = {
  cwlVersion: "v1.2",
  class: "CommandLineTool",
  requirements: { NetworkAccess: { networkAccess: true } },
  baseCommand: ["python"],
  arguments: ["8", "1000"],
  inputs: { code: { type: "File", inputBinding: { position: -1 } } },
  stdout: "mean.txt",
  outputs: { mean: { type: "stdout" } },
};

const YADAGE = {
  stages: [
    {
      name: "mean",
      dependencies: [],
      scheduler: {
        scheduler_type: "singlestep-stage",
        parameters: { code: "{workdir}/mean.py" },
        step: {
          process: {
            process_type: "string-interpolated-cmd",
            cmd: 'cd "$REANA_WORKSPACE" && python mean.py 8 1000 > mean.txt',
          },
          publisher: { publisher_type: "frompar-pub", outputmap: {} },
          environment: { environment_type: "docker-encapsulated", image: "dask" },
        },
      },
    },
  ],
};

/** Opens the WebSocket of a page of the dashboard. Returns the start of the reply. */
async function live({ address, cookie }: { readonly address: string; readonly cookie: string }) {
  const { host, hostname, port, pathname, origin } = new URL(`${address}/ws`);
  const socket = connect(Number(port), hostname);
  const headers = {
    host,
    origin,
    cookie,
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": Buffer.alloc(16).toString("base64"),
    "sec-websocket-protocol": "bokeh",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${pathname} HTTP/1.1\r\n${lines.join("")}\r\n`);
  try {
    for await (const chunk of socket.setEncoding("latin1")) return chunk as string;
    return "";
  } finally {
    socket.destroy();
  }
}

/** Dask itself, from PyPI, on this machine. */
describe("a run with a Dask cluster", () => {
  let data: Awaited<ReturnType<typeof temporaryFolder>>;
  let environment: Record<string, string>;
  let server: RealServer;

  beforeAll(async () => {
    data = await temporaryFolder();
    const dask = await conformanceEnvironment("dask");
    const python = path.dirname(path.dirname(realpathSync(path.join(dask, "bin/python"))));
    environment = {
      PATH: `${dask}/bin:${process.env["PATH"]}`,
      REPRISE_MOUNTS: [dask, python].map((folder) => `${folder}:${folder}`).join("\n"),
      REPRISE_CONTAINERS: "none",
      REPRISE_SNAKEMAKE: await snakemakeProgram("9.27.1"),
    };
    server = await startRealServer(data.folder, environment);
  }, 180_000);
  afterAll(async () => {
    await server?.stop();
    await data?.remove();
  });

  const api = () => client(server.url);
  const create = async (workflow: object, files: Readonly<Record<string, string>>) => {
    const inputs = { parameters: { code: { class: "File", path: "mean.py" } } };
    const document = { inputs, workflow: { ...workflow, resources: { dask: DASK } } };
    const { body } = await api().call("POST", "workflows", JSON.stringify(document), "&workflow_name=dask");
    const run = String(body["workflow_id"]);
    for (const [name, text] of Object.entries(files)) await api().upload(run, name, text);
    return run;
  };
  const start = async (...given: Parameters<typeof create>) => {
    const run = await create(...given);
    expect(await api().setStatus(run, "start")).toMatchObject({ status: 200 });
    return run;
  };
  const appears = async (run: string, file: string) => {
    while ((await api().download(run, file)).status !== 200)
      expect(await api().status(run)).toMatchObject({ status: "running" });
  };
  const serial = (...commands: readonly string[]) => ({
    type: "serial",
    specification: { steps: [{ name: "mean", commands }] },
  });
  const logs = async (run: string) => {
    const { body } = await api().call("GET", `workflows/${run}/logs`);
    return JSON.parse(String(body["logs"])) as {
      readonly workflow_logs: string;
      readonly service_logs: { readonly dask: readonly { component: string; content: string }[] };
      readonly job_logs: object;
    };
  };
  const daskProcesses = () =>
    execFileSync("sh", ["-c", `ps -eo args | grep -c '[d]ask.*${data.folder}' || true`], {
      encoding: "utf8",
    });

  test.each([
    ["serial", serial(COMMAND), {}],
    ["cwl", { type: "cwl", file: "main.cwl" }, { "main.cwl": stringify(CWL) }],
    ["yadage", { type: "yadage", file: "flow.yml" }, { "flow.yml": stringify(YADAGE) }],
    [
      "snakemake",
      { type: "snakemake", file: "Snakefile" },
      {
        Snakefile: `rule all:\n  output: "mean.txt"\n  shell: "${COMMAND.replace("mean.txt", "{output}")}"\n`,
      },
    ],
  ])("%s: computes on the workers and leaves no files", async (_language, workflow, files) => {
    const run = await start(workflow, { ...files, "mean.py": MEAN });
    const ended = await api().ended(run);
    const { service_logs: services, job_logs: steps } = await logs(run);
    expect(ended, JSON.stringify(services)).toMatchObject({ status: "finished" });
    expect(services.dask.map(({ component }) => component)).toEqual([
      "dask-scheduler",
      "dask-worker-1",
      "dask-worker-2",
    ]);
    expect(JSON.stringify(steps)).not.toContain("dask-worker");
    const listing = await api().call("GET", `workflows/${run}/workspace`);
    expect(JSON.stringify(listing.body)).not.toContain(".dask");
  });

  test("survives the death of a worker", async () => {
    const run = await start(serial("python frail.py > said.txt"), { "frail.py": FRAIL });
    expect(await api().ended(run)).toMatchObject({ status: "finished" });
    expect((await api().download(run, "said.txt")).text).toBe("survived\n");
    expect((await logs(run)).workflow_logs).toMatch(/Dask worker \d failed: .* It is started again\./);
  });

  test("continues after a kill of the server", async () => {
    const wait = "touch begun; until [ -e go ]; do sleep 0.1; done";
    const run = await start(serial(`${wait}; ${COMMAND}`), { "mean.py": MEAN });
    await appears(run, "begun");
    await server.kill();
    server = await startRealServer(data.folder, environment);
    await api().upload(run, "go", "");
    expect(await api().ended(run)).toMatchObject({ status: "finished" });
    expect((await logs(run)).service_logs.dask).toHaveLength(3);
  });

  test("shows its dashboard to the owner until the cluster ends, also after a kill of the server", async () => {
    const run = await start(serial("touch begun; until [ -e go ]; do sleep 0.1; done"), {});
    await appears(run, "begun");
    const link = async () => api().call("GET", `workflows/${run}/dask-dashboard`);
    const signedIn = async () => {
      const { body } = await link();
      expect(body).toMatchObject({ url: expect.stringContaining(run) });
      const reply = await fetch(String(body["url"]), { redirect: "manual" });
      const cookie = reply.headers.getSetCookie()[0]!.split(";", 1)[0]!;
      return { address: new URL(reply.headers.get("location")!, String(body["url"])).href, cookie };
    };
    const before = await signedIn();
    const page = await fetch(before.address, { headers: { cookie: before.cookie } });
    expect(await page.text()).toContain("Dask Diagnostic UI");
    expect((await fetch(before.address)).status).toBe(403);
    await server.kill();
    server = await startRealServer(data.folder, environment);
    const after = await signedIn();
    expect(after.cookie).toBe(before.cookie);
    const { pathname } = new URL(after.address);
    const workers = after.address.replace(/status$/, "info/main/workers.html");
    expect(await (await fetch(workers, { headers: { cookie: after.cookie } })).text()).toContain("worker-2");
    expect(await live(after)).toMatch(/^HTTP\/1.1 101 /);
    await api().upload(run, "go", "");
    expect(await api().ended(run)).toMatchObject({ status: "finished" });
    expect(await link()).toMatchObject({ status: 404 });
    const gone = await fetch(new URL(pathname, after.address), { headers: { cookie: after.cookie } });
    expect(gone.status).toBe(404);
  });

  test("ends the cluster at a stop", async () => {
    const run = await start(serial("touch begun; sleep 600"), {});
    await appears(run, "begun");
    expect(await api().setStatus(run, "stop")).toMatchObject({ body: { status: "stopped" } });
    expect(Number(daskProcesses())).toBe(0);
  });

  test("names a missing program of Dask", async () => {
    const { stop, url } = await startRealServer(path.join(data.folder, "without"), {
      REPRISE_CONTAINERS: "none",
      PATH: "/usr/bin:/bin",
    });
    const other = client(url);
    const document = { workflow: { ...serial("true"), resources: { dask: DASK } } };
    const { body } = await other.call("POST", "workflows", JSON.stringify(document), "&workflow_name=w");
    await other.setStatus(String(body["workflow_id"]), "start");
    expect(await other.ended(String(body["workflow_id"]))).toMatchObject({ status: "failed" });
    await stop();
  });
});
