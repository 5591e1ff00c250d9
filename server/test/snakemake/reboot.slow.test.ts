import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dataFolderPaths } from "#plumbing/files/data-folder";
import { snakemakeProgram } from "../support/engines/snakemake.ts";
import { SnakemakeServer } from "./snakemake-server.ts";

/** Installing Snakemake takes half a minute, once for each machine. */
const INSTALL_MAX_MS = 300_000;
const POLL = { interval: 50 };

/**
 * After the first job, a checkpoint, two jobs run until a file `go` exists. A killed job leaves half of its
 * output. The checkpoint adds one of the two jobs.
 */
const FILES = {
  Snakefile: `
rule all:
    input: "a.txt", lambda wildcards: "b.txt" if checkpoints.first.get() else []
checkpoint first:
    output: "first.txt"
    shell: "echo first >> ran.txt; echo 1 > {output}"
rule waits:
    input: "first.txt"
    output: "{name,[ab]}.txt"
    shell:
        "echo half > {output}; echo {wildcards.name} >> ran.txt; "
        "until [ -e go ]; do sleep 0.05; done; echo whole > {output}"
`,
};

/** The equivalent workflow in Yadage, with one waiting step. */
const YADAGE = `
stages:
- name: first
  dependencies: []
  scheduler:
    scheduler_type: singlestep-stage
    parameters: {made: '{workdir}/first.txt'}
    step:
      process: {process_type: string-interpolated-cmd, cmd: 'echo first >> ../yadage.txt; echo 1 > {made}'}
      environment: {environment_type: localproc-env}
      publisher: {publisher_type: frompar-pub, outputmap: {made: made}}
- name: waits
  dependencies: [first]
  scheduler:
    scheduler_type: singlestep-stage
    parameters: {one: {step: first, output: made}, made: '{workdir}/made.txt'}
    step:
      process: {process_type: string-interpolated-cmd, cmd: 'echo waits >> ../yadage.txt; until [ -e ../go ]; do sleep 0.05; done; cp {one} {made}'}
      environment: {environment_type: localproc-env}
      publisher: {publisher_type: frompar-pub, outputmap: {made: made}}
`;

let server: SnakemakeServer;

beforeAll(async () => {
  server = await SnakemakeServer.start(await snakemakeProgram("9.27.1"), 3);
}, INSTALL_MAX_MS);
afterAll(() => server.end());

const linesOf = async (run: string, name: string) =>
  (await server.client.download(run, name)).text.trimEnd().split("\n").toSorted();

test("after a reboot, Snakemake plans again, Yadage names the lost job, and only what was running runs again", async () => {
  const yadage = await beginYadage();
  const run = await server.begin({ files: FILES });
  const ran = () => linesOf(run, "ran.txt");
  await expect.poll(ran, POLL).toEqual(["a", "b", "first"]);
  await expect.poll(() => linesOf(yadage, "yadage.txt"), POLL).toEqual(["first", "waits"]);
  await server.rebootMachine();
  expect(await server.client.ended(yadage)).toMatchObject({ status: "failed" });
  const { body } = await server.client.call("GET", `workflows/${yadage}/failure`);
  expect(body).toMatchObject({ failure: { job: { step: "waits", reason: "lost" } } });
  const again = await restarted("yadage");
  for (const one of [run, again]) await server.client.upload(one, "go", "");
  for (const one of [run, again])
    expect(await server.client.ended(one)).toMatchObject({ status: "finished" });
  expect(await ran()).toEqual(["a", "a", "b", "b", "first"]);
  expect([await linesOf(run, "a.txt"), await linesOf(run, "b.txt")]).toEqual([["whole"], ["whole"]]);
  expect(await linesOf(again, "yadage.txt")).toEqual(["first", "waits", "waits"]);
  expect(boots()).toHaveLength(2);
  const { engine, jobs } = await server.logsOf(run);
  expect(engine).toContain("Snakemake was lost. It plans again");
  expect(jobs.map(({ job_name: name, status }) => `${name} ${status}`).toSorted()).toEqual([
    "first finished",
    "report finished",
    "snakemake failed",
    "snakemake finished",
    "waits (name=a) failed",
    "waits (name=a) finished",
    "waits (name=b) failed",
    "waits (name=b) finished",
  ]);
});

async function beginYadage(): Promise<string> {
  const document = { inputs: {}, workflow: { type: "yadage", file: "main.yml" }, outputs: {} };
  const { client } = server;
  const { body } = await client.call("POST", "workflows", JSON.stringify(document), "&workflow_name=yadage");
  const run = body["workflow_id"] as string;
  await client.upload(run, "main.yml", YADAGE);
  expect(await client.setStatus(run, "start")).toMatchObject({ status: 200 });
  return run;
}

async function restarted(name: string): Promise<string> {
  const { body } = await server.client.call("POST", `workflows/${name}/restart`, "{}");
  return body["workflow_id"] as string;
}

/** Returns the boots of the machine in which jobs have run. */
function boots(): readonly string[] {
  const { jobs } = dataFolderPaths(server.folder);
  const records = readdirSync(jobs).map((name) => path.join(jobs, name, "record"));
  const found = records.filter((file) => existsSync(file)).map((file) => readFileSync(file, "utf8"));
  return [...new Set(found.map((record) => /^claimed \S+ \S+ (\S+)/m.exec(record)![1]!))];
}
